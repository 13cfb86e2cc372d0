// Colours: numbers from 0 to 1, mixed, and a scale for speeds.
export const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255);
export const mix = (a, b, k) => a.map((v, i) => v + k * (b[i] - v));
export const css = c => `rgb(${c.map(v => Math.round(255 * v)).join(" ")})`;
const SCALE = ["#3b1f8c", "#2c6fbb", "#1f9e89", "#8fc93a", "#f6c945", "#f2662e"].map(rgb);
export function speedColour(share) {  // slow is dark blue, fast is orange
  const x = Math.min(Math.max(share, 0), 1) * (SCALE.length - 1), i = Math.min(Math.floor(x), SCALE.length - 2);
  return mix(SCALE[i], SCALE[i + 1], x - i);
}
const NAMES = ["paper", "ink", "soft", "ground", "stone", "grid", "axis", "steel", "dark", "accent", "rule"];
export function readTheme() {  // the colours of the page as it is now: numbers, and texts under name + "Text"
  const style = getComputedStyle(document.documentElement), out = {};
  for (const name of NAMES) { out[name + "Text"] = style.getPropertyValue("--" + name).trim(); out[name] = rgb(out[name + "Text"]); }
  out.night = out.paper[0] < 0.5;
  return out;
}
