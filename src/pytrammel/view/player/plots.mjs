// Plots beside the picture: any quantity over time, with the cursor of the film.
import {clamp, short, ticked} from "./numbers.mjs";
import {unpack} from "./series.mjs";

export function range(values) {  // of a plot: a constant gets a band around it
  let low = Infinity, high = -Infinity;
  for (const v of values) { if (v < low) low = v; if (v > high) high = v; }
  if (!(high > low + 1e-9 * Math.abs(high))) { const pad = Math.max(Math.abs(high) * 0.1, 1e-3); return [low - pad, high + pad]; }
  const pad = 0.06 * (high - low);
  return [low - pad, high + pad];
}
export function ticks(low, high, most) {
  const decade = 10 ** Math.floor(Math.log10((high - low) / most)), step = [1, 2, 5, 10].map(k => k * decade).find(s => (high - low) / s <= most) || high - low, out = [];
  for (let n = Math.ceil(low / step - 1e-9); n <= high / step + 1e-9; n++) out.push(n * step);
  return {step, at: out};
}
export function tickLabels(low, high, most) {  // ticks with their texts, in one notation
  const found = ticks(low, high, most), largest = Math.max(...found.at.map(Math.abs));
  return {...found, texts: found.at.map(v => ticked(v, found.step, largest))};
}
export function valueAt(times, values, t) {  // straight between samples
  let low = 0, high = times.length - 1;
  while (high - low > 1) { const mid = (low + high) >> 1; if (times[mid] <= t) low = mid; else high = mid; }
  const h = times[high] - times[low];
  return h > 0 ? values[low] + clamp((t - times[low]) / h, 0, 1) * (values[high] - values[low]) : values[high];
}
export function indexNear(times, values, wanted, t) {  // time near t at which the series comes closest to a value
  let best = -1, cost = Infinity, low = Infinity, high = -Infinity;
  for (const v of values) { low = Math.min(low, v); high = Math.max(high, v); }
  const span = times[times.length - 1] - times[0] || 1, width = high - low || 1;
  for (let i = 0; i + 1 < times.length; i++) {
    const a = values[i], b = values[i + 1], s = b === a ? 0 : clamp((wanted - a) / (b - a), 0, 1), at = times[i] + s * (times[i + 1] - times[i]);
    const c = 100 * Math.abs(a + s * (b - a) - wanted) / width + Math.abs(at - t) / span;
    if (c < cost) { cost = c; best = at; }
  }
  return best;
}
export function readQuantities(Q) {
  const times = Q.times.map(() => null), values = Q.values.map(() => null), own = k => Q.times.length > 1 ? k : 0;
  return {names: Q.names, labels: Q.names.map(name => name.replace(/\s*\[[^\]]*\]\s*$/, "")), units: Q.units, drivers: Q.drivers, coarse: k => Q.coarse[k] === "1", values: k => values[k] || (values[k] = unpack(Q.values[k])),
    times: k => times[own(k)] || (times[own(k)] = Float64Array.from(unpack(Q.times[own(k)]), t => Q.start + t))};
}
// least and greatest value that a thinned series may have at a time: samples 1 and 2, 3 and 4 ... are the extremes of one part of the run each
export function rangeAt(times, values, t) {
  let i = 0, high = times.length - 1;
  while (high - i > 1) { const mid = (i + high) >> 1; if (times[mid] <= t) i = mid; else high = mid; }
  const part = k => k < 1 || k > times.length - 2 ? [k] : k % 2 ? [k, k + 1] : [k - 1, k], near = [...part(i), ...part(high)].map(k => values[k]);
  return [Math.min(...near), Math.max(...near)];
}
export function makePlots(P, Q) {
  const {$} = P, data = readQuantities(Q), open = [];
  const choose = $("quantity"), first = new Option("a quantity …", "");
  choose.append(first, ...data.labels.map((name, k) => new Option(`${name} [${data.units[k]}]`, k)));
  if (Q.left_out) choose.append(Object.assign(new Option(`(${Q.left_out} more: name them with plots=)`, ""), {disabled: true}));
  function add(k) {
    if (open.some(it => it.k === k)) return;
    const box = document.createElement("div"), canvas = document.createElement("canvas"), close = document.createElement("button");
    box.className = "panel"; close.textContent = "×"; close.title = `Close the plot of ${data.labels[k]}`;
    canvas.setAttribute("role", "img"); canvas.setAttribute("aria-label", `${data.labels[k]} over time`);
    box.append(canvas, close); $("panels").append(box);
    const it = {k, box, canvas, times: data.times(k), values: data.values(k)};
    close.onclick = () => { box.remove(); open.splice(open.indexOf(it), 1); };
    const seek = event => { const {left, right} = it.area, [t0, t1] = it.span; P.seek(t0 + clamp((event.offsetX - left) / (right - left), 0, 1) * (t1 - t0)); };
    canvas.addEventListener("pointerdown", event => { canvas.setPointerCapture(event.pointerId); seek(event); });
    canvas.addEventListener("pointermove", event => { if (event.buttons) seek(event); });
    new ResizeObserver(() => draw(it)).observe(box);
    open.push(it);
    draw(it);
  }
  function draw(it) {
    const {canvas, values, k} = it, W = canvas.clientWidth, H = canvas.clientHeight, ratio = Math.min(devicePixelRatio || 1, 2.5), C = P.theme();
    if (W < 20 || H < 20) return;
    if (canvas.width !== Math.round(W * ratio)) canvas.width = Math.round(W * ratio);
    if (canvas.height !== Math.round(H * ratio)) canvas.height = Math.round(H * ratio);
    const pen = canvas.getContext("2d"), T = it.times, [low, high] = range(values), t0 = T[0], t1 = T[T.length - 1] > t0 ? T[T.length - 1] : t0 + 1;
    const area = it.area = {left: 52, right: W - 10, top: 24, bottom: H - 20}; it.span = [t0, t1];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0); pen.clearRect(0, 0, W, H);
    pen.font = "11px system-ui, sans-serif"; pen.textBaseline = "middle"; pen.lineWidth = 1;
    const y = tickLabels(low, high, Math.max(2, Math.floor((area.bottom - area.top) / 26)));
    area.left = Math.min(Math.max(52, ...y.texts.map(text => pen.measureText(text).width + 11)), 0.5 * W);
    const most = Math.max(2, Math.floor((area.right - area.left) / 60)), rough = tickLabels(t0, t1, most), broad = Math.max(...rough.texts.map(text => pen.measureText(text).width + 14));
    const x = broad > 60 ? tickLabels(t0, t1, Math.max(1, Math.floor((area.right - area.left) / broad))) : rough;
    const X = t => area.left + (t - t0) / (t1 - t0) * (area.right - area.left), Y = v => area.bottom - (v - low) / (high - low) * (area.bottom - area.top);
    pen.strokeStyle = C.gridText; pen.fillStyle = C.softText; pen.textAlign = "right"; pen.beginPath();
    y.at.forEach((v, n) => { pen.moveTo(area.left, Y(v)); pen.lineTo(area.right, Y(v)); pen.fillText(y.texts[n], area.left - 5, Y(v)); });
    pen.textAlign = "center";
    x.at.forEach((t, n) => { pen.moveTo(X(t), area.top); pen.lineTo(X(t), area.bottom); pen.fillText(x.texts[n], X(t), H - 9); });
    pen.stroke();
    pen.strokeStyle = C.accentText; pen.lineWidth = 1.6; pen.lineJoin = "round"; pen.beginPath();
    for (let i = 0; i < T.length; i++) pen.lineTo(X(T[i]), Y(values[i]));
    pen.stroke();
    pen.fillStyle = C.inkText; pen.textAlign = "left"; pen.font = "600 12px system-ui, sans-serif";
    if (P.hand) { pen.fillText(`${data.labels[k]} [${data.units[k]}]`, 8, 12, W - 44); return; }  // no instant of the run
    const now = P.time(), v = valueAt(T, values, now), [least, greatest] = data.coarse(k) ? rangeAt(T, values, now) : [v, v];
    pen.strokeStyle = C.inkText; pen.lineWidth = 1; pen.beginPath(); pen.moveTo(X(now), area.top); pen.lineTo(X(now), area.bottom); pen.stroke();
    const known = short(least) === short(greatest);
    pen.fillStyle = pen.strokeStyle = C.accentText; pen.lineWidth = 5; pen.beginPath();
    if (known) { pen.arc(X(now), Y(v), 3.5, 0, 7); pen.fill(); } else { pen.moveTo(X(now), Y(least)); pen.lineTo(X(now), Y(greatest)); pen.stroke(); }
    pen.fillStyle = C.inkText;
    pen.fillText(`${data.labels[k]} = ${known ? short(v) : `${short(least)} … ${short(greatest)}`} ${data.units[k]}`, 8, 12, W - 44);
  }
  choose.onchange = () => { if (choose.value !== "") add(+choose.value); choose.value = ""; };
  $("clear").onclick = () => { for (const it of [...open]) it.box.remove(); open.length = 0; P.press("plot", false); };
  const start = () => {
    if (open.length) return;
    for (const name of Q.shown.length ? Q.shown : [Q.first]) add(data.names.indexOf(name));
  };
  return {data, add: name => { const k = data.names.indexOf(name); if (k >= 0) add(k); }, draw: () => open.forEach(draw), show: on => { $("plots").hidden = !on; if (on) start(); }};
}
