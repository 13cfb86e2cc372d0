// Surfaces and lines: triangles with normals in a, n; line segments in pairs of points. U is the radius of a joint.
import {add, across, cross, dot, scale, size, sub, unit} from "./vectors.mjs";

export class Surface {
  constructor(U) { this.a = []; this.n = []; this.U = U; }
  corner(p, n) { this.a.push(p[0], p[1], p[2]); this.n.push(n[0], n[1], n[2]); }
  strip(low, high, nl, nh) {  // two rings of equally many points
    for (let i = 0; i < low.length; i++) {
      const j = (i + 1) % low.length;
      for (const [ring, normals, k] of [[low, nl, i], [low, nl, j], [high, nh, j], [low, nl, i], [high, nh, j], [high, nh, i]])
        this.corner(ring[k], normals[k]);
    }
  }
  cap(ring, centre, n) {
    for (let i = 0; i < ring.length; i++) { this.corner(centre, n); this.corner(ring[i], n); this.corner(ring[(i + 1) % ring.length], n); }
  }
  tube(a, b, ra, rb, sides = 0, edges = null) {
    const z = unit(sub(b, a)), [x, y] = across(z), n = sides || (Math.max(ra, rb) > 3 * this.U ? 64 : 28), lean = (ra - rb) / (size(sub(b, a)) || 1), ring = [];
    for (let i = 0; i < n; i++) ring.push(add(scale(x, Math.cos(2 * Math.PI * i / n)), y, Math.sin(2 * Math.PI * i / n)));
    const low = ring.map(d => add(a, d, ra)), high = ring.map(d => add(b, d, rb)), out = ring.map(d => unit(add(d, z, lean)));
    if (sides) for (let i = 0; i < n; i++) {  // flat faces
      const j = (i + 1) % n, face = unit(add(out[i], out[j]));
      for (const p of [low[i], low[j], high[j], low[i], high[j], high[i]]) this.corner(p, face);
      if (edges) edges.push(...low[i], ...high[i]);
    } else this.strip(low, high, out, out);
    for (const [circle, centre, r, d] of [[low, a, ra, scale(z, -1)], [high, b, rb, z]]) if (r > 0) {
      this.cap(circle, centre, d);
      if (edges && (r > 0.02 * this.U)) for (let i = 0; i < n; i++) edges.push(...circle[i], ...circle[(i + 1) % n]);
    }
  }
  sphere(c, r, n = r > 3 * this.U ? 56 : 28) {
    const rings = [];
    for (let j = 0; j <= n / 2; j++) {
      const t = 2 * Math.PI * j / n, ring = [];
      for (let i = 0; i < n; i++) ring.push([Math.sin(t) * Math.cos(2 * Math.PI * i / n), Math.sin(t) * Math.sin(2 * Math.PI * i / n), -Math.cos(t)]);
      rings.push(ring);
    }
    for (let j = 0; j < rings.length - 1; j++)
      this.strip(rings[j].map(d => add(c, d, r)), rings[j + 1].map(d => add(c, d, r)), rings[j], rings[j + 1]);
  }
  mesh(v, f, edges) {  // smooth where neighbours lean less than 35 degrees apart; sharper edges are drawn
    const at = i => [v[3 * i], v[3 * i + 1], v[3 * i + 2]], same = new Map(), id = [], around = new Map(), sides = new Map(), crease = Math.cos(0.61);
    for (let i = 0; i < v.length / 3; i++) {
      const key = at(i).join(), first = same.get(key);
      if (first === undefined) same.set(key, i);
      id.push(first === undefined ? i : first);
    }
    const push = (map, key, item) => { const list = map.get(key); if (list) list.push(item); else map.set(key, [item]); };
    const raw = [];
    for (let t = 0; t < f.length; t += 3) {
      const [a, b, c] = [f[t], f[t + 1], f[t + 2]].map(at), n = cross(sub(b, a), sub(c, a));
      raw.push(n);
      for (let k = 0; k < 3; k++) {
        const i = id[f[t + k]], j = id[f[t + (k + 1) % 3]];
        push(around, i, t / 3); push(sides, Math.min(i, j) + "," + Math.max(i, j), t / 3);
      }
    }
    const flat = raw.map(unit);
    for (let t = 0; t < raw.length; t++) for (let k = 0; k < 3; k++) {
      let n = [0, 0, 0];
      for (const o of around.get(id[f[3 * t + k]])) if (dot(flat[o], flat[t]) > crease) n = add(n, raw[o]);
      this.corner(at(f[3 * t + k]), unit(size(n) ? n : flat[t]));
    }
    for (const [key, of] of sides) if (of.length !== 2 || dot(flat[of[0]], flat[of[1]]) < crease) {
      const [i, j] = key.split(",");
      edges.push(...at(+i), ...at(+j));
    }
  }
  coil(a, b, radius, wire, turns) {
    const d = sub(b, a), length = size(d), z = unit(d), [x, y] = across(z), steps = 22 * turns, middle = [];
    for (let i = 0; i <= steps; i++) {
      const s = i / steps, r = radius * Math.min(1, 8 * Math.min(s, 1 - s)), angle = 2 * Math.PI * turns * s;
      middle.push(add(add(add(a, z, length * s), x, r * Math.cos(angle)), y, r * Math.sin(angle)));
    }
    this.wire(middle, z, wire);
  }
  wire(middle, z, radius, sides = 7) {  // round wire through points; z is not along it anywhere
    const steps = middle.length - 1;
    let low = null, before = null;
    for (let i = 0; i <= steps; i++) {
      const along = unit(sub(middle[Math.min(i + 1, steps)], middle[Math.max(i - 1, 0)])), side = unit(cross(along, z)), out = cross(side, along), normals = [];
      for (let k = 0; k < sides; k++) normals.push(add(scale(side, Math.cos(2 * Math.PI * k / sides)), out, Math.sin(2 * Math.PI * k / sides)));
      const ring = normals.map(n => add(middle[i], n, radius));
      if (low) this.strip(low, ring, before, normals);
      low = ring; before = normals;
    }
  }
  arrow(o, v, heads) {
    const length = size(v), d = unit(v), head = Math.min(2.6 * this.U, length / (0.5 + heads));
    if (length < 0.05 * this.U) return;
    let tip = add(o, v);
    for (let i = 0; i < heads; i++, tip = add(tip, d, -0.6 * head)) this.tube(add(tip, d, -head), tip, 0.42 * head, 0);
    this.tube(o, add(tip, d, -0.4 * head), 0.14 * head, 0.14 * head);
  }
  done(changes = false) { return {a: new Float32Array(this.a), n: new Float32Array(this.n), changes}; }
}
export const segments = (list, changes = false) => ({p: new Float32Array(list), changes});
export const chain = (points, list = []) => { for (let i = 1; i < points.length; i++) list.push(...points[i - 1], ...points[i]); return list; };
export const triples = v => { const out = []; for (let i = 0; i < v.length; i += 3) out.push([v[i], v[i + 1], v[i + 2]]); return out; };
