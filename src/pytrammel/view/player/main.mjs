// Puts the page together: the player P holds what all parts share.
import {keepStep} from "./company.mjs";
import {chartFor, readCharts} from "./charts.mjs";
import {readTheme, showTheme} from "./colours.mjs";
import {makeControls, makeDrivers, makeKeys, makeLists, makePointers, makeSpeedFaces, option, paintSwatches} from "./controls.mjs";
import {listen} from "./live.mjs";
import {clamp, short} from "./numbers.mjs";
import {planeStage} from "./plane.mjs";
import {Playback, SPEEDS} from "./playback.mjs";
import {indexNear, makePlots, valueAt} from "./plots.mjs";
import {makeClock} from "./series.mjs";
import {spaceStage} from "./space.mjs";

export function start() {
  const $ = id => document.getElementById(id), D = JSON.parse($("scene").textContent), clock = makeClock(D.times);
  const lasting = () => D.live ? Math.max(clock.span(), 2) : D.duration, playback = new Playback(clock, lasting);
  const dark = matchMedia("(prefers-color-scheme: dark)"), ask = () => new URLSearchParams(location.hash.slice(1));
  let waiting = false, before = 0, colours = null, chosenTheme = "", sliders = [], speedFaces = () => {}, charts = [], plots = null, touched = false;
  const P = {
    $, D, clock, playback, live: D.live, follow: D.live, ended: !D.live, followed: -1, hand: null, trail: 1, bySpeed: false, ghosts: 0, ask,
    drivable: !!D.quantities && D.quantities.drivers.length > 0 && D.times.length > 1,
    pos: () => playback.pos, time: () => clock.timeAt(playback.pos), theme: () => colours,
    pressed: id => $(id)?.getAttribute("aria-pressed") === "true",
    show() { if (!waiting) { waiting = true; requestAnimationFrame(() => { waiting = false; draw(); }); } },
    go(p) { P.release(); playback.go(p); P.show(); },
    release() { if (P.hand) { P.hand = null; P.say(""); } },
    byHand(k, value) {  // one driver moved by itself, the others as they are or where its line begins
      const before = P.hand || {values: D.charts.names.map((_, n) => { const it = sliders.find(it => it.driver === n); return valueAt(it.times, it.values, P.time()); })};
      const alone = charts[0].drivers.length === 1, same = P.hand && P.hand.chart.drivers.includes(k);
      const chart = same ? P.hand.chart : chartFor(charts, k, P.time()), values = [...(alone && !same ? chart.base : before.values)];
      P.play(false); P.following(false);
      values[k] = value;
      if (!chart.can(values)) P.say("The mechanism does not close there, or was not computed there.");
      else { P.hand = {chart, values}; P.say(chartWords(alone)); }
      P.show();
    },
    seek(t) { P.play(false); P.following(false); P.go(clock.posAt(t)); },
    seekValue(k, value) { P.go(clock.posAt(indexNear(plots.data.times(k), plots.data.values(k), value, P.time()))); },
    step(by) { P.release(); P.play(false); P.following(false); playback.step(by); P.show(); },
    faster(by) { playback.speed = SPEEDS[clamp(SPEEDS.indexOf(playback.speed) + by, 0, SPEEDS.length - 1)]; $("speed").value = playback.speed; },
    play(on) {
      if (on) { P.release(); P.following(false); }
      playback.play(on);
      $("play").classList.toggle("on", playback.playing);
      $("play").setAttribute("aria-label", playback.playing ? "Pause" : "Play");
      before = 0;
      if (playback.playing) requestAnimationFrame(tick);
    },
    following(on) {
      P.follow = on && P.live && !P.ended;
      $("follow").hidden = !P.live || P.ended || P.follow;
      if (P.follow) { P.play(false); P.go(clock.last()); }
    },
    press(id, on) {
      $(id).setAttribute("aria-pressed", on);
      if (id === "loop") playback.loop = on;
      if (id === "plot" && plots) plots.show(on);
      stage.look(id, on);
      P.show();
    },
    reset() { stage.survey(); stage.fit(); P.show(); },
    refit() { if (!stage.touched || !stage.touched()) stage.fit(); },
    view(name) { if (name === "fit") P.reset(); else stage.view(name); },
    say(text, on = false) { $("status").textContent = text; $("status").hidden = !text; $("status").classList.toggle("on", on); },
    tip(text, at) {
      const tip = $("tip");
      tip.hidden = !text;
      if (!text) return;
      tip.textContent = text;
      tip.style.left = clamp(at[0] + 14, 0, $("frame").clientWidth - tip.offsetWidth - 4) + "px"; tip.style.top = clamp(at[1] + 14, 0, $("frame").clientHeight - tip.offsetHeight - 4) + "px";
    },
    setTheme(name) {
      const found = D.themes.find(T => T.name === name), T = found || D.themes.find(T => T.night === dark.matches);
      chosenTheme = found ? name : "";
      $("theme").value = chosenTheme;
      showTheme(T, document.documentElement);
      colours = readTheme(T);
      if (stage) { stage.theme(); paintSwatches(P); }
      P.show();
    },
  };
  let stage = null;
  const tellOthers = keepStep(P);
  function tick(now) {
    if (!playback.playing) return;
    requestAnimationFrame(tick);
    const passed = now - (before = before || now);
    if (passed < 1000 / D.fps - 4) return;  // 4 ms: do not miss a refresh by a hair
    before = now;
    playback.advance(Math.min(passed, 500));
    if (!playback.playing) P.play(false);
    P.show();
  }
  function draw() { stage.draw(); clockFace(); speedFaces(); if (plots) plots.draw(); driverFaces(); tellOthers(); }
  function clockFace() {
    const span = clock.span(), digits = clamp(Math.ceil(-Math.log10(span / 1000 || 1)), 0, 9), time = P.time(), end = document.createElement("small");
    end.textContent = `/ ${(clock.T[clock.last()] || 0).toFixed(digits)}`;
    if (P.hand) $("time").textContent = "moved by hand";
    else $("time").replaceChildren(`t = ${time.toFixed(digits)} s `, end);
    $("scrub").max = clock.last(); $("scrub").value = Math.floor(playback.pos);
    $("scrub").setAttribute("aria-valuetext", `${time.toFixed(digits)} seconds`);
    for (const id of ["play", "speed", "loop"]) $(id).disabled = span <= 0;
    for (const id of ["back", "next", "scrub"]) $(id).disabled = clock.T.length < 2;
  }
  function driverFaces() {
    sliders.forEach(({slider, value, times, values, driver, unit}) => {
      const v = P.hand && driver >= 0 ? P.hand.values[driver] : valueAt(times, values, P.time());
      if (document.activeElement !== slider) slider.value = v;
      value.textContent = `${short(Math.abs(v) < 1e-9 * (slider.max - slider.min) ? 0 : v)} ${unit}`;  // no digits of rounding
    });
  }
  function chartWords(alone) {
    const many = charts.reduce((sum, chart) => sum + chart.axes.reduce((n, axis) => n * axis[2], 1), 0), off = D.charts.error;
    return `Moved by hand${alone ? ", one driver at a time" : ""}. Between ${many} computed positions: off by at most ${short(off, 2)} ${D.unit}.`;
  }
  function resize() {
    const frame = $("frame"), W = Math.max(frame.clientWidth, 50), H = Math.max(frame.clientHeight, 50), k = Math.min(devicePixelRatio || 1, 2.5);
    for (const canvas of frame.querySelectorAll("canvas")) {
      if (canvas.width !== Math.round(W * k)) canvas.width = Math.round(W * k);
      if (canvas.height !== Math.round(H * k)) canvas.height = Math.round(H * k);
    }
    stage.resize(W, H);
    draw();  // at once: a canvas of another size is empty
  }
  // '#frame=20&view=top&labels=0&plots=A.angle' in the address opens the page paused at that frame, seen from above ...
  function asked(first) {
    const wish = ask(), frame = wish.get("frame");
    if (wish.has("theme")) P.setTheme(wish.get("theme"));
    if (wish.has("view")) P.view(wish.get("view"));
    for (const [id] of [...stage.toggles, ["perspective"]]) if ($(id) && wish.has(id) && (wish.get(id) !== "0") !== P.pressed(id)) P.press(id, !P.pressed(id));
    for (const id of ["trail", "hue", "ghosts", "track", "speed"]) if (wish.has(id)) { $(id).value = wish.get(id); $(id).onchange(); }
    if (wish.has("plots") && plots) { for (const name of wish.get("plots").split(",")) plots.add(name); P.press("plot", true); }
    if (/^\d+$/.test(frame || "")) { P.play(false); P.following(false); P.go(+frame); }
    else if (first && !P.live && !matchMedia("(prefers-reduced-motion: reduce)").matches) P.play(true);
  }
  document.documentElement.classList.add(D.kind);
  if (D.width) $("app").style.setProperty("--width", D.width + "px");
  option($("theme"), [["", "of the system"], ...D.themes.map(T => [T.name, T.name])], "");
  P.setTheme(D.theme);
  stage = (D.kind === "space" ? spaceStage : planeStage)(P);
  stage.theme();
  makeControls(P, stage); makeLists(P, stage); makeKeys(P, stage); makePointers(P, stage); speedFaces = makeSpeedFaces(P);
  if (D.quantities && D.quantities.names.length) {
    charts = D.charts ? readCharts(D.charts) : [];
    plots = makePlots(P, D.quantities); sliders = makeDrivers(P, plots.data, charts);
    if (D.quantities.shown.length) P.press("plot", true);
  } else $("plot").hidden = true;
  if (!stage.toggles.some(t => t[0] === "forces") || stage.arrows.filter(a => a.kind !== "velocity" && a.kind !== "acceleration").length > 8 && D.kind === "space") if ($("forces")) P.press("forces", false);
  dark.addEventListener("change", () => P.setTheme(chosenTheme));
  stage.survey();
  new ResizeObserver(resize).observe($("frame"));
  resize(); stage.fit();
  asked(true);
  addEventListener("hashchange", () => asked(false));
  $("follow").onclick = () => P.following(true);
  if (P.live) listen(P, stage);
  P.show();
  return stage;
}
const running = typeof document !== "undefined" ? start() : null;
