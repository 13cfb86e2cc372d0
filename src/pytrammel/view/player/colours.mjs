// Colours: numbers from 0 to 1, mixed, and the theme of the page. Their values come from Python (view/theme.py).
export const rgb = hex => [1, 3, 5].map(i => parseInt(hex.slice(i, i + 2), 16) / 255);
export const mix = (a, b, k) => a.map((v, i) => v + k * (b[i] - v));
export const css = c => `rgb(${c.map(v => Math.round(255 * v)).join(" ")})`;
export function speedColour(scale, share) {  // slow to fast
  const x = Math.min(Math.max(share, 0), 1) * (scale.length - 1), i = Math.min(Math.floor(x), scale.length - 2);
  return mix(scale[i], scale[i + 1], x - i);
}
const isColour = value => typeof value === "string" && value[0] === "#";
export function readTheme(T) {  // roles as numbers, and as texts under name + "Text"; hex() finds places in cycles, roles and given colours
  const out = {night: T.night, width: T.line_width, grid: null};
  for (const [name, value] of Object.entries(T)) if (isColour(value)) { out[name + "Text"] = value; out[name] = rgb(value); }
  for (const [name, to] of [["page_grid", "grid"], ["page_axis", "axis"]]) { out[to] = out[name]; out[to + "Text"] = out[name + "Text"]; }
  out.hex = (key, cycle = "body") => typeof key === "number" ? T[cycle][key % T[cycle].length] : isColour(key) ? key : T[key];
  out.symbol = role => role && T[role] ? T[role] : null;
  out.speed = share => speedColour(T.speeds.map(rgb), share);
  out.triad = [T.x_axis, T.y_axis, T.z_axis].map(rgb);
  return out;
}
export function showTheme(T, root) {  // on the page itself
  for (const [name, value] of Object.entries(T)) if (isColour(value)) root.style.setProperty("--" + name, value);
  root.style.colorScheme = T.night ? "dark" : "light"; root.classList.toggle("dark", T.night);
}
