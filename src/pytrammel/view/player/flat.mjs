// The same lists drawn pixel by pixel with a depth buffer of our own, where a browser has no WebGL.
import {mix} from "./colours.mjs";
import {clamp} from "./numbers.mjs";
import {dot, move, scale, times, turned, unit} from "./vectors.mjs";
import {FAINT, FILL, LIGHT} from "./webgl.mjs";

export function flatPainter(canvas, S) {
  const pen = canvas.getContext("2d");
  if (!pen) return null;
  let image = null, pixels, depth;
  const pack = c => { const [r, g, b] = c.map(v => Math.round(255 * clamp(v, 0, 1))); return (255 << 24 | b << 16 | g << 8 | r) >>> 0; };
  const SOLID = 0, DEEP = 1, THIN = 2;  // all of a spot; its depth only; a tint where it is in front
  function spot(k, z, colour, way) {
    if (way === THIN) {
      if (Math.fround(z) > depth[k]) return;
      const under = pixels[k] >>> 24 ? pixels[k] : pack(S.C.paper), part = shift => Math.round((1 - FAINT) * (under >> shift & 255) + FAINT * (colour >> shift & 255));
      pixels[k] = (255 << 24 | part(16) << 16 | part(8) << 8 | part(0)) >>> 0; depth[k] = z - 1e-5;
    } else if (z < depth[k]) { depth[k] = z; if (way === SOLID) pixels[k] = colour; }
  }
  function triangle(a, b, c, colour, way) {
    const area = (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]), W = image.width, H = image.height;
    if (!area) return;
    const x0 = Math.max(Math.ceil(Math.min(a[0], b[0], c[0]) - 0.5), 0), x1 = Math.min(Math.floor(Math.max(a[0], b[0], c[0]) - 0.5), W - 1);
    const y0 = Math.max(Math.ceil(Math.min(a[1], b[1], c[1]) - 0.5), 0), y1 = Math.min(Math.floor(Math.max(a[1], b[1], c[1]) - 0.5), H - 1);
    const ux = (b[1] - c[1]) / area, uy = (c[0] - b[0]) / area, vx = (c[1] - a[1]) / area, vy = (a[0] - c[0]) / area, dx = ux * (a[2] - c[2]) + vx * (b[2] - c[2]);
    for (let y = y0; y <= y1; y++) {
      let u = ux * (x0 + 0.5 - c[0]) + uy * (y + 0.5 - c[1]), v = vx * (x0 + 0.5 - c[0]) + vy * (y + 0.5 - c[1]), z = c[2] + u * (a[2] - c[2]) + v * (b[2] - c[2]);
      for (let x = x0, k = y * W + x0; x <= x1; x++, k++, u += ux, v += vx, z += dx)
        if (u >= -1e-9 && v >= -1e-9 && u + v <= 1 + 1e-9) spot(k, z, colour, way);
    }
  }
  function stroke(L, items, k, bias, tested) {
    const W = image.width, H = image.height;
    for (const {geo, M, colour, width, alpha = 1, count = geo.p.length / 6} of items) {
      const packed = pack(mix(S.C.paper, colour, alpha)), side = Math.max(1, Math.round(width * k)), half = (side - 1) / 2;
      for (let i = 0; i < 6 * count; i += 6) {
        const a = S.project(L, move(M, geo.p.subarray(i, i + 3))), b = S.project(L, move(M, geo.p.subarray(i + 3, i + 6)));
        if (!a || !b) continue;
        const steps = Math.min(Math.ceil(k * Math.max(Math.abs(b[0] - a[0]), Math.abs(b[1] - a[1]))) + 1, 4 * (W + H));
        for (let n = 0; n <= steps; n++) {
          const s = n / steps, x = Math.round(k * (a[0] + s * (b[0] - a[0])) - half - 0.5), y = Math.round(k * (a[1] + s * (b[1] - a[1])) - half - 0.5), z = a[2] + s * (b[2] - a[2]) - bias;
          for (let j = Math.max(y, 0); j < Math.min(y + side, H); j++) for (let m = Math.max(x, 0); m < Math.min(x + side, W); m++)
            if (!tested || z < depth[j * W + m]) { pixels[j * W + m] = packed; if (tested) depth[j * W + m] = z; }
        }
      }
    }
  }
  function fill(L, items, k, way) {
    for (const {geo, M, colour} of items) {
      const VM = times(L.V, M), at = i => S.project(L, move(M, geo.a.subarray(i, i + 3)));
      for (let i = 0; i < geo.a.length; i += 9) {
        const p = [at(i), at(i + 3), at(i + 6)];
        if (p.includes(null)) continue;
        let n = unit(turned(VM, [0, 1, 2].map(c => geo.n[i + c] + geo.n[i + 3 + c] + geo.n[i + 6 + c])));
        if (n[2] < 0) n = scale(n, -1);
        const light = 0.54 + 0.11 * dot(n, L.up) + 0.45 * Math.max(dot(n, LIGHT), 0) + 0.1 * Math.max(dot(n, FILL), 0);
        for (const q of p) { q[0] *= k; q[1] *= k; }
        triangle(p[0], p[1], p[2], pack(scale(colour, light)), way);
      }
    }
  }
  return {
    name: "2d",
    draw(L, list) {
      const k = canvas.width / S.cam.W;
      if (!image || image.width !== canvas.width || image.height !== canvas.height) {
        image = pen.createImageData(canvas.width, canvas.height);
        pixels = new Uint32Array(image.data.buffer); depth = new Float32Array(pixels.length);
      }
      pixels.fill(0); depth.fill(2);
      stroke(L, list.floor, k, 0, false);
      fill(L, list.solids, k, SOLID);
      for (const way of [DEEP, THIN]) fill(L, list.faint, k, way);
      stroke(L, list.lines, k, S.cam.depth ? 0.0004 : 0.002, true);
      stroke(L, list.over, k, 0, false);
      pen.putImageData(image, 0, 0);
    },
    forget() {},
  };
}
