// Buttons, lists, keys and pointers: the same for both stages.
import {clamp} from "./numbers.mjs";
import {SPEEDS, factorText} from "./playback.mjs";

export function option(select, pairs, chosen) {
  select.append(...pairs.map(([value, text]) => new Option(text, value)));
  select.value = chosen;
}
export function makeToggle(P, id, label, key, on) {
  const {$} = P, button = document.createElement("button");
  button.id = id; button.textContent = label; button.title = `Show or hide ${label.toLowerCase()} (${key.toUpperCase()})`;
  button.setAttribute("aria-pressed", on);
  $("toggles").append(button);
  return button;
}
const swatches = [];  // of all lists, with what finds their colour in a theme
export function paintSwatches(P) { for (const {swatch, colour} of swatches) swatch.style.setProperty("--c", colour(P.theme())); }
export function entry(P, box, name, colour, kind, change) {  // a line of the lists: a tick, a swatch and a name
  const {$} = P, [label, tick, swatch] = ["label", "input", "i"].map(tag => document.createElement(tag));
  tick.type = "checkbox"; tick.checked = true; tick.onchange = () => { change(tick.checked); P.show(); };
  swatch.className = kind; swatches.push({swatch, colour});
  label.append(tick, swatch, name);
  $(box).append(label); $(box).hidden = $("lists").hidden = false;
  return label;
}
export function makeLists(P, stage) {
  const {D, $} = P;
  D.bodies.forEach((body, b) => { if (stage.solid(b)) entry(P, "bodies", body.name, C => C.hex(body.colour), "", on => { stage.shown[b] = on; }); });
  stage.paths.forEach(it => entry(P, "traced", it.trace.name, C => C.hex(it.trace.colour, "path"), "line", on => { it.shown = on; }));
  stage.arrows.forEach((arrow, n) => {
    if (arrow.kind === "velocity" || arrow.kind === "acceleration") return;
    arrow.value = document.createElement("output");
    entry(P, "acting", arrow.name, C => C.hex(arrow.colour), "line", on => { stage.acting[n] = on; }).append(arrow.value);
  });
  paintSwatches(P);
  if (innerWidth < 700) for (const list of document.querySelectorAll("#lists details")) list.open = false;
  if (stage.arrows.length > 8) $("acting").open = false;
  if (D.bodies.length > 9) $("bodies").open = false;
}
export function makeControls(P, stage) {
  const {D, $, playback} = P;
  for (const [id, label, key, on] of stage.toggles) makeToggle(P, id, label, key, on);
  for (const [id, label, title] of stage.views) {
    const button = document.createElement("button");
    button.textContent = label; button.title = title; button.id = "view-" + id; button.onclick = () => P.view(id);
    $("views").append(button);
  }
  $("hint").append(...`${stage.hint}${D.note ? ` · ${D.note}` : ""}`.split(/\[(.*?)\]/).map((text, k) => k % 2 ? Object.assign(document.createElement("kbd"), {textContent: text}) : text));
  option($("speed"), SPEEDS.map(s => [s, factorText(s)]), 1);
  option($("trail"), [[1, "whole path"], [0.5, "half"], [0.25, "a quarter"], [0.1, "a tenth"], [0.03, "short"], [0, "none"]], 1);
  option($("ghosts"), [[0, "none"], [3, "3"], [6, "6"], [12, "12"]], 0);
  option($("track"), [[-1, "nothing"], ...D.bodies.map((b, n) => [n, b.name]).filter(([n]) => !D.bodies[n].ground)], -1);
  $("track").onchange = () => { P.followed = +$("track").value; stage.followed(); };
  $("trail").onchange = () => { P.trail = +$("trail").value; P.show(); };
  $("hue").onchange = () => { P.bySpeed = $("hue").value === "speed"; P.show(); };
  $("ghosts").onchange = () => { P.ghosts = +$("ghosts").value; P.show(); };
  $("theme").onchange = () => P.setTheme($("theme").value);
  for (const id of ["trail", "hue"]) $(id).parentElement.hidden = !stage.paths.length;
  for (const id of ["loop", "plot", ...stage.toggles.map(t => t[0])]) $(id).onclick = () => P.press(id, !P.pressed(id));
  $("play").onclick = () => P.play(!playback.playing);
  $("back").onclick = () => P.step(-1); $("next").onclick = () => P.step(1);
  $("scrub").oninput = () => { P.play(false); P.following(false); P.go(+$("scrub").value); };
  $("speed").onchange = () => { playback.speed = +$("speed").value; };
  // clicked with the mouse, a control gives the keyboard back to the player
  for (const id of ["controls", "views"]) $(id).addEventListener("click", event => { if (event.detail) event.target.closest("button")?.blur(); });
  $("scrub").addEventListener("pointerup", () => $("scrub").blur());
  for (const select of document.querySelectorAll("#controls select")) select.addEventListener("change", () => select.blur());
  document.addEventListener("pointerdown", event => { if (!event.target.closest("#more")) $("more").open = false; });
}
// the true factor of every speed; it changes while a live run is shorter than the least time of a pass
export function makeSpeedFaces(P) {
  const {$, playback} = P;
  let pace = 0;
  return () => {
    if (playback.pace() === pace) return;
    pace = playback.pace();
    [...$("speed").options].forEach((option, n) => { option.textContent = factorText(SPEEDS[n] * pace); });
    $("speed").title = `Speed as a multiple of real time; ${factorText(pace)} shows the run once in ${+playback.lasting().toPrecision(3)} s`;
  };
}
// sliders for what is driven: they move it by itself where positions were computed for that, or else go to the nearest time at which it has that value
export function makeDrivers(P, data, charts) {
  const {$} = P, sliders = [];
  for (const {name, index} of data.drivers) {
    const values = data.values(index), [label, slider, value] = ["label", "input", "output"].map(tag => document.createElement(tag));
    let low = Infinity, high = -Infinity;
    for (const v of values) { low = Math.min(low, v); high = Math.max(high, v); }
    if (!(high > low)) continue;
    Object.assign(slider, {type: "range", min: low, max: high, step: (high - low) / 2000});
    const k = charts.length ? P.D.charts.names.indexOf(name) : -1, alone = k >= 0;
    slider.setAttribute("aria-label", `driver ${name}`);
    slider.title = alone ? "Move this driver by itself" : data.drivers.length > 1 ? "Move the mechanism along the run; other drivers follow it" : "Move the mechanism";
    slider.oninput = () => { if (alone) P.byHand(k, +slider.value); else { P.play(false); P.seekValue(index, +slider.value); } };
    slider.addEventListener("pointerup", () => slider.blur());
    label.append(name, slider, value); $("drivers").append(label);
    sliders.push({slider, value, times: data.times(index), values, driver: k, unit: data.units[index]});
  }
  $("drivers").hidden = !sliders.length;
  return sliders;
}
export function makeKeys(P, stage) {
  const {$, playback, clock} = P;
  const keys = {" ": () => P.play(!playback.playing), ArrowLeft: () => P.step(-1), ArrowRight: () => P.step(1), Home: () => { P.following(false); P.go(0); },
    End: () => { P.go(clock.last()); P.following(true); }, r: P.reset, "+": () => stage.zoom(1.25), "-": () => stage.zoom(0.8), q: () => $("plot").click(),
    "[": () => P.faster(-1), "]": () => P.faster(1), Escape: () => { $("more").open = false; }, ...stage.keys};
  for (const [id, , key] of stage.toggles) keys[key] = () => $(id).click();
  document.addEventListener("keydown", event => {
    const key = event.key.length === 1 ? event.key.toLowerCase() : event.key, act = event.shiftKey && stage.shifted[key] || keys[key];
    if (!act || event.ctrlKey || event.metaKey || event.altKey) return;
    const own = event.target.closest("button, input, select, summary");  // these use some keys themselves
    if (own && (key === " " || (own.matches("input[type=range], select") && /^(Arrow|Home|End)/.test(key)) || (own.matches("select") && key.length === 1))) return;
    event.preventDefault();
    act();
  });
}
export function makePointers(P, stage) {  // one pointer drags, two move and zoom, the wheel zooms
  const canvas = P.$("stage"), fingers = new Map();
  let grabbed = null;
  canvas.addEventListener("pointerdown", event => {
    fingers.set(event.pointerId, [event.offsetX, event.offsetY]);
    grabbed = fingers.size === 1 && !event.shiftKey && stage.bodyAt && stage.bodyAt(event.offsetX, event.offsetY);
    if (grabbed) P.play(false);
    canvas.setPointerCapture(event.pointerId); canvas.classList.add("drag");
  });
  canvas.addEventListener("pointermove", event => {
    const from = fingers.get(event.pointerId), to = [event.offsetX, event.offsetY];
    stage.point(event.pointerType === "touch" || fingers.size ? null : to);
    if (!from) { canvas.classList.toggle("hand", !!(stage.bodyAt && stage.bodyAt(...to))); return; }
    const dx = to[0] - from[0], dy = to[1] - from[1];
    fingers.set(event.pointerId, to);
    if (fingers.size === 2) {
      const other = [...fingers].find(([id]) => id !== event.pointerId)[1], d = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]);
      stage.pan(dx / 2, dy / 2);
      stage.zoom(d(to, other) / Math.max(d(from, other), 1), (to[0] + other[0]) / 2, (to[1] + other[1]) / 2);
    } else if (grabbed) stage.dragTo(grabbed, ...to);
    else if (event.shiftKey || event.buttons & 6) stage.pan(dx, dy);
    else stage.drag(dx, dy);
  });
  for (const kind of ["pointerup", "pointercancel"]) canvas.addEventListener(kind, event => {
    fingers.delete(event.pointerId); if (!fingers.size) { canvas.classList.remove("drag"); grabbed = null; }
  });
  canvas.addEventListener("pointerleave", () => stage.point(null));
  canvas.addEventListener("contextmenu", event => event.preventDefault());
  canvas.addEventListener("wheel", event => {
    event.preventDefault();
    stage.zoom(Math.exp(-clamp(event.deltaY * (event.deltaMode ? 30 : 1), -240, 240) * 0.0016), event.offsetX, event.offsetY);
  }, {passive: false});
  canvas.addEventListener("dblclick", P.reset);
}
