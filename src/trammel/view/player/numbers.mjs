// Numbers as people read them.
export const clamp = (v, low, high) => Math.min(Math.max(v, low), high);
export function nice(v) {  // the round number (1, 2, 5) below v
  const p = 10 ** Math.floor(Math.log10(v));
  return p * (v / p >= 5 ? 5 : v / p >= 2 ? 2 : 1);
}
export function ticked(v, step) {  // a tick label: as many digits as the step needs
  if (Math.abs(v) < step * 1e-6) return "0";
  return step >= 1e-4 && Math.abs(v) < 1e6 ? v.toFixed(Math.max(0, -Math.floor(Math.log10(step) + 1e-9)))
    : v.toExponential(Math.max(0, Math.floor(Math.log10(Math.abs(v)) - Math.log10(step) + 1e-9)));
}
export const short = (v, digits = 4) => Math.abs(v) >= 1e6 || (v && Math.abs(v) < 1e-3) ? v.toExponential(2) : +v.toPrecision(digits) + "";
