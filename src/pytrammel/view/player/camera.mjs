// A camera that turns about 'up'; yaw 0 looks along the second ground axis.
import {add, cross, dot, move, scale, sub, times, turned, unit} from "./vectors.mjs";

export const FOV = Math.tan(13 * Math.PI / 180), QUARTER = Math.PI / 2;
export const VIEWS = {iso: [QUARTER / 2, Math.atan(Math.SQRT1_2)], front: [0, 0], side: [QUARTER, 0], top: [0, QUARTER]};
export function groundAxes(up) {
  const E3 = unit(up), E1 = Math.abs(E3[0]) > 0.9 ? unit(add([0, 1, 0], E3, -E3[1])) : unit(add([1, 0, 0], E3, -E3[0]));
  return [E1, cross(E3, E1), E3];
}
export function makeCamera([E1, E2, E3]) {
  const cam = {yaw: VIEWS.iso[0], pitch: VIEWS.iso[1], dist: 1, target: [0, 0, 0], W: 1, H: 1, touched: false, depth: true};
  cam.basis = () => {
    const {yaw, pitch} = cam, flat = add(scale(E1, Math.sin(yaw)), E2, -Math.cos(yaw));
    const d = add(scale(flat, Math.cos(pitch)), E3, Math.sin(pitch)), r = add(scale(E1, Math.cos(yaw)), E2, Math.sin(yaw));
    return {r, u: cross(d, r), d};
  };
  cam.lens = (centre, radius) => {
    const {r, u, d} = cam.basis(), {W, H, dist, target} = cam, eye = add(target, d, dist), aspect = W / H;
    const V = [r[0], u[0], d[0], 0, r[1], u[1], d[1], 0, r[2], u[2], d[2], 0, -dot(r, eye), -dot(u, eye), -dot(d, eye), 1];
    const away = dot(sub(eye, centre), d), R = 1.6 * radius, far = Math.max(away + R, 0.1 * dist), near = cam.depth ? Math.max(away - R, 0.004 * far) : away - R;
    const Q = cam.depth ? [1 / (FOV * aspect), 0, 0, 0, 0, 1 / FOV, 0, 0, 0, 0, (far + near) / (near - far), -1, 0, 0, 2 * far * near / (near - far), 0]
      : [1 / (FOV * aspect * dist), 0, 0, 0, 0, 1 / (FOV * dist), 0, 0, 0, 0, 2 / (near - far), 0, 0, 0, (far + near) / (near - far), 1];
    return {V, P: Q, VP: times(Q, V), eye, d, up: turned(V, E3)};
  };
  cam.project = (L, p) => {  // pixels and depth; null behind the eye
    const M = L.VP, w = M[3] * p[0] + M[7] * p[1] + M[11] * p[2] + M[15], q = move(M, p);
    return w > 1e-9 ? [(1 + q[0] / w) / 2 * cam.W, (1 - q[1] / w) / 2 * cam.H, q[2] / w] : null;
  };
  cam.fit = (cloud, pad) => {  // points with radii in the window, less its margins
    const {r, u, d} = cam.basis(), {W, H} = cam, seen = cloud.map(p => [dot(p, r), dot(p, u), dot(p, d), p[3]]), edge = px => 2 * FOV * px / H;
    const window = [[edge(W / 2 - pad.left), edge(W / 2 - pad.right)], [edge(H / 2 - pad.bottom), edge(H / 2 - pad.top)]];
    let near = -Infinity, far = Infinity;
    for (const p of seen) { near = Math.max(near, p[2] + p[3]); far = Math.min(far, p[2] - p[3]); }
    const z = (near + far) / 2, ends = window.map(([low, high], k) => {  // c - high * dist and c + low * dist must hold between them all points
      let a = -Infinity, b = Infinity;
      for (const p of seen) { const ahead = cam.depth ? p[2] - z : 0; a = Math.max(a, p[k] + p[3] + high * ahead); b = Math.min(b, p[k] - p[3] - low * ahead); }
      return [a, b];
    });
    const dist = Math.max(pad.least, 1.02 * (near - z), ...window.map(([low, high], k) => (ends[k][0] - ends[k][1]) / (low + high)));
    const [x, y] = window.map(([low, high], k) => 0.5 * (ends[k][0] - high * dist + ends[k][1] + low * dist));
    cam.dist = dist; cam.touched = false;
    cam.target = add(add(scale(r, x), u, y), d, z);
  };
  return cam;
}
