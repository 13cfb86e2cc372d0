// Labels that never collide: each tries the places beside its point, keeps the one it had, and stays away where none is free.
// Where there are many, minor ones (minor: 1, 2 ...) need room around them to appear; once there, they stay while nothing is in the way.
export const CROWD = 24, ROOM = 7;
export const SIDES = [[1, -1], [-1, -1], [1, 1], [-1, 1], [0, -1.6], [0, 1.6], [1.3, 0], [-1.3, 0]];
export const overlap = (a, b) => a[0] < b[2] && b[0] < a[2] && a[1] < b[3] && b[1] < a[3];
// wanted: {x, y, w, gap, side, text, normal?}; taken: boxes that are not free. Returns {label, box} of those with a place.
export function placeLabels(wanted, taken = [], area = null) {
  const out = [], crowded = wanted.length > CROWD;
  for (const label of wanted) {
    const {x, y, w, gap, normal} = label, half = 8.5;
    let sides = SIDES.map(([a, b]) => [a * (gap + w / 2), b * (gap + 4)]);
    if (normal) {  // on either side of a link
      const off = gap + Math.abs(normal[0]) * w / 2 + Math.abs(normal[1]) * 7;
      sides = [[normal[0] * off, normal[1] * off], [-normal[0] * off, -normal[1] * off], ...sides];
    }
    const boxes = sides.map(([dx, dy]) => [x + dx - w / 2 - 2, y + dy - half, x + dx + w / 2 + 2, y + dy + half]);
    const inside = b => !area || (b[0] >= area[0] && b[1] >= area[1] && b[2] <= area[2] && b[3] <= area[3]);
    const room = crowded && !label.shown ? ROOM * (label.minor || 0) : 0, grown = b => [b[0] - room, b[1] - room, b[2] + room, b[3] + room];
    const free = b => b && inside(b) && !taken.some(t => overlap(grown(b), t));
    if (!free(boxes[label.side])) label.side = boxes.findIndex(free);
    const box = boxes[label.side];
    label.shown = !!box;
    if (!box) { label.side = 0; continue; }
    taken.push(box);
    out.push({label, box});
  }
  return out;
}
