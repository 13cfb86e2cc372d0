// Values over time: cubic between frames, and from frames to time and back.
import {clamp} from "./numbers.mjs";

export function unpack(packed) {  // base64 of little-endian 32-bit floats, after the value that they are differences from
  const text = packed.slice(packed.indexOf(":") + 1), raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) bytes[i] = raw.charCodeAt(i);
  const view = new DataView(bytes.buffer), out = new Float32Array(raw.length / 4);
  for (let i = 0; i < out.length; i++) out[i] = view.getFloat32(4 * i, true);
  return text === packed ? out : Float64Array.from(out, v => v + parseFloat(packed));
}
export function makeClock(T) {  // T may grow, in a live view
  const last = () => Math.max(T.length - 1, 0);
  const rises = i => i >= 0 && i < last() && T[i + 1] > T[i], chord = (v, i) => (v[i + 1] - v[i]) / (T[i + 1] - T[i]);
  const middle = (v, i) => { const h = T[i] - T[i - 1], k = T[i + 1] - T[i]; return (chord(v, i - 1) * k + chord(v, i) * h) / (h + k); };
  function slope(v, i) {  // of a parabola through three frames, from one side only at the ends and where a time stands twice (a jump)
    const left = rises(i - 1), right = rises(i), next = right ? i + 1 : i - 1;
    if (left && right) return middle(v, i);
    if (!left && !right) return 0;
    const c = chord(v, right ? i : i - 1);
    return rises(next - 1) && rises(next) ? 2 * c - middle(v, next) : c;
  }
  function at(v, i, s) {  // value at frame i + s; a series of one value stands still
    if (v.length === 1) return v[0];
    if (!s) return v[i];
    const h = T[i + 1] - T[i], a = slope(v, i) * h, b = slope(v, i + 1) * h, d = v[i + 1] - v[i];
    return v[i] + s * (a + s * (3 * d - 2 * a - b + s * (a + b - 2 * d)));
  }
  const timeAt = p => {
    if (!T.length) return 0;
    if (p >= last()) return T[last()];
    const i = Math.floor(p);
    return T[i] + (p - i) * (T[i + 1] - T[i]);
  };
  function posAt(t) {
    let low = 0, high = last();
    while (high - low > 1) { const mid = (low + high) >> 1; if (T[mid] <= t) low = mid; else high = mid; }
    return T[high] > T[low] ? low + clamp((t - T[low]) / (T[high] - T[low]), 0, 1) : high;
  }
  return {T, last, slope, at, timeAt, posAt, span: () => T.length ? T[last()] - T[0] : 0};
}
// whether something acts at frame i: it has a digit per frame where it comes and goes with phases
export const isOn = (thing, i) => !thing.on || thing.on[Math.min(i, thing.on.length - 1)] !== "0";
