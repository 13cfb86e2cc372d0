// Numbers as people read them.
export const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
export function nice(v) {  // the round number (1, 2, 5) below v
  const p = 10 ** Math.floor(Math.log10(v));
  return p * (v / p >= 5 ? 5 : v / p >= 2 ? 2 : 1);
}
const exponent = v => Math.floor(Math.log10(v) + 1e-9);
// a tick label with as many digits as the step needs; the largest number of the axis decides on the notation, so that all labels share it
export function ticked(v, step, largest = Math.abs(v)) {
  if (Math.abs(v) < step * 1e-6) return "0";
  const last = exponent(step);
  return step >= 1e-4 && largest < 1e6 ? v.toFixed(Math.max(0, -last)) : v.toExponential(clamp(exponent(Math.abs(v)) - last, 0, 15));
}
export const short = (v, digits = 4) => Math.abs(v) >= 1e6 || (v && Math.abs(v) < 1e-3) ? v.toExponential(2) : +v.toPrecision(digits) + "";
