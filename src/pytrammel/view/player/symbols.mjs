// Places the templates of stretched symbols (springs, dampers, rods): pytrammel/view/symbols.py draws them, and does the same for stills.
export function placeStretched(points, sags, a, b, u, free) {
  const dx = b[0] - a[0], dy = b[1] - a[1], length = Math.hypot(dx, dy), ex = length > 0 ? dx / length : 1, ey = length > 0 ? dy / length : 0;
  const along = Math.min(u, length / 6), sag = sags ? (free > length ? Math.sqrt(0.375 * length * (free - length)) : 0) : u;
  const flip = sags && ex > 0 ? -1 : 1, nx = -ey * flip, ny = ex * flip, out = [];
  for (let i = 0; i < points.length; i += 3) {
    const s = points[i] * length + points[i + 1] * along, c = points[i + 2] * sag;
    out.push(a[0] + s * ex + c * nx, a[1] + s * ey + c * ny);
  }
  return out;
}
// a spiral spring in pin radii, from its inner end outwards; turned: the angle from where it is slack
export function spiralPoints(turned, {inner, outer, turns, most}) {
  let sweep = 2 * Math.PI * turns - turned;
  const limit = 2 * Math.PI * most;
  if (Math.abs(sweep) > limit) sweep -= Math.sign(sweep) * 2 * Math.PI * Math.ceil((Math.abs(sweep) - limit) / (2 * Math.PI));
  const n = Math.max(12, Math.ceil(Math.abs(sweep) * 5)), out = [];
  for (let k = 0; k <= n; k++) {
    const s = k / n, r = inner + s * (outer - inner), a = Math.PI - (1 - s) * sweep;
    out.push(r * Math.cos(a), r * Math.sin(a));
  }
  return out;
}
