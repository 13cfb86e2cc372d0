// The planar stage: where everything is at an instant, and in which order it is painted.
import {arrow, bodyLook, compile, paint, skeleton, turnArrow, write} from "./canvas2d.mjs";
import {css, mix, rgb} from "./colours.mjs";
import {placeLabels} from "./labels.mjs";
import {clamp, nice, short, ticked} from "./numbers.mjs";
import {nearestFrame} from "./playback.mjs";
import {isOn, unpack} from "./series.mjs";
import {placeStretched, spiralPoints} from "./symbols.mjs";

export const PLANE_TOGGLES = [["joints", "Joints", "j", true], ["labels", "Labels", "l", true], ["masses", "Masses", "m", true], ["paths", "Paths", "p", true],
  ["forces", "Forces", "f", true], ["reactions", "Reactions", "n", false], ["velocity", "Velocities", "v", false],
  ["acceleration", "Accelerations", "a", false], ["floor", "Grid", "g", true]];
const TOGGLE_OF = {load: "forces", moment: "forces", reaction: "reactions", "reaction-moment": "reactions", velocity: "velocity", acceleration: "acceleration"};

export function planeStage(P) {
  const {D, $, clock} = P, {at, slope} = clock, T = clock.T, stage = $("stage"), pen = stage.getContext("2d"), U = D.pin;
  $("solid").remove();
  const wide = {bar: D.bar, groove: D.groove}, shown = D.bodies.map(() => true), acting = D.arrows.map(() => true);
  const parts = D.bodies.map(b => compile(b.parts));
  const marks = D.marks.map(m => ({...m, under: compile(m.under), over: compile(m.over)}));
  const arrows = D.arrows.map(a => ({...a, v: a.v.map(unpack), o: a.o ? a.o.map(unpack) : null, side: 0}));
  const has = kind => arrows.some(a => TOGGLE_OF[a.kind] === kind);
  let box = D.box;
  const largest = {};
  function measure() {
    for (const a of arrows) for (let i = 0; i < a.v[0].length; i++) largest[a.kind] = Math.max(largest[a.kind] || 0, Math.hypot(...a.v.map(v => v[i])));
  }
  measure();
  // ---- view: s pixels per display unit, (x, y) in the middle of the window
  const view = {x: 0, y: 0, s: 1, W: 1, H: 1, touched: false, held: [0, 0]};
  const shift = () => {  // a followed body stays where it is on the screen
    if (P.followed < 0) return [0, 0];
    const b = pose[P.followed];
    return [b[0] - view.held[0], b[1] - view.held[1]];
  };
  let pose = [], off = [0, 0];
  const sx = x => view.W / 2 + (x - off[0] - view.x) * view.s, sy = y => view.H / 2 - (y - off[1] - view.y) * view.s;
  function fit() {
    const margin = 9 * U, panel = view.W > 760 && !$("lists").hidden ? Math.min($("lists").offsetWidth, 0.3 * view.W) : 0;
    const w = box[2] - box[0] + margin, h = box[3] - box[1] + margin, W = view.W - 70 - panel, H = view.H - 64;
    view.s = Math.max(Math.min(W / w, H / h), 1e-12);
    view.x = (box[0] + box[2]) / 2 + (panel - 24) / 2 / view.s; view.y = (box[1] + box[3]) / 2 - 8 / view.s; view.touched = false;
  }
  function closer() {  // to a machine that goes a long way
    const wide = 2 * (D.own + 9 * U), s = Math.min(view.W, view.H) / wide;
    if (s > 1.3 * view.s) { view.s = s; view.x = view.held[0]; view.y = view.held[1]; view.touched = true; }
  }
  function zoom(factor, px = view.W / 2, py = view.H / 2) {
    const s = clamp(view.s * factor, 1e-3 / U, 400 / U), x = px - view.W / 2, y = view.H / 2 - py;
    view.x += x / view.s - x / s; view.y += y / view.s - y / s; view.s = s; view.touched = true;
    P.show();
  }
  function pan(dx, dy) { view.x -= dx / view.s; view.y += dy / view.s; view.touched = true; P.show(); }
  function resize(W, H) { view.W = W; view.H = H; if (!view.touched) fit(); }
  // ---- poses and points
  const poseOf = (b, i, s) => [at(b.x, i, s), at(b.y, i, s), at(b.phi, i, s)];
  const global = ([x, y, phi], [px, py]) => { const c = Math.cos(phi), s = Math.sin(phi); return [x + c * px - s * py, y + s * px + c * py]; };
  const tracePoint = (trace, i, s) => trace.body === undefined ? [at(trace.x, i, s), at(trace.y, i, s)] : global(poseOf(D.bodies[trace.body], i, s), trace.at);
  const paths = D.traces.map(trace => ({trace, shown: true, points: [], speeds: [], top: 0}));
  const finer = () => P.live ? 1 : clamp(Math.ceil(400 / Math.max(clock.last(), 1)), 1, 16);
  function course(it) {  // the whole path and the speed along it
    const m = finer(), n = clock.last() * m;
    for (let k = it.points.length; T.length && k <= n; k++) {
      const p = tracePoint(it.trace, Math.floor(k / m), (k % m) / m), q = it.points[k - 1];
      if (q) { const dt = clock.timeAt(k / m) - clock.timeAt((k - 1) / m), v = dt > 0 ? Math.hypot(p[0] - q[0], p[1] - q[1]) / dt : 0; it.speeds.push(v); it.top = Math.max(it.top, v); }
      it.points.push(p);
    }
  }
  paths.forEach(course);
  // ---- painting
  let C = P.theme(), looks = [], ratio = 1;
  function theme() { C = P.theme(); looks = D.bodies.map(b => bodyLook(C, rgb(C.hex(b.colour)))); }
  theme();
  const textColour = hex => C.night ? css(mix(rgb(hex), [1, 1, 1], 0.35)) : hex;
  const page = () => pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  function onBody(p) {
    const c = Math.cos(p[2]) * view.s * ratio, s = Math.sin(p[2]) * view.s * ratio;
    pen.setTransform(c, -s, -s, -c, sx(p[0]) * ratio, sy(p[1]) * ratio);
  }
  function paintAll(list, look, faint) {
    pen.globalAlpha = faint ? 0.25 : 1;
    for (const part of list) paint(pen, part, look, C, view.s, U, wide);
    pen.globalAlpha = 1;
  }
  function paintBodies(level) {
    D.bodies.forEach((body, b) => {
      if (shown[b] && body.level === level) { onBody(pose[b]); paintAll(parts[b], looks[b], false); }
    });
  }
  function paintMarks(layer, i) {
    for (const mark of marks) if (shown[mark.body] && P.pressed(mark.mass ? "masses" : "joints")) {
      onBody(pose[mark.body]); paintAll(mark[layer], looks[mark.body], !isOn(mark, i));
    }
  }
  const rodEnds = rod => [0, 1].map(k => global(pose[rod.bodies[k]], rod.at[k]));
  function paintRods(i) {
    for (const rod of D.rods) {
      if (!rod.bodies.every(b => shown[b])) continue;
      const [a, b] = rodEnds(rod), list = [];
      for (const part of D.symbols[rod.kind]) {
        const p = placeStretched(part.v, part.sags, a, b, U, rod.free);
        list.push({style: part.style, role: part.role, ...(part.r ? {circle: [p[0], p[1], part.r * U]} : {closed: part.closed, paths: [p]})});
      }
      onBody([0, 0, 0]);
      paintAll(compile(list), {line: C.groundText, tint: C.steelText}, !isOn(rod, i));
    }
  }
  function paintSpirals(i) {
    for (const it of D.spirals) {
      const [a, b] = it.bodies.map(k => pose[k]);
      if (!it.bodies.every(k => shown[k]) || !P.pressed("joints")) continue;
      const wire = spiralPoints(b[2] - a[2] - it.free, D.spiral).map((v, k) => it.at[k % 2] + U * v);
      onBody(a);
      paintAll(compile([{style: "line", role: "spring", closed: false, paths: [wire]}]), {line: C.groundText, tint: C.steelText}, !isOn(it, i));
    }
  }
  function paintGhosts() {
    const n = P.ghosts, last = clock.last();
    for (let g = 0; g < n && last > 0; g++) {
      const i = Math.round((g + 0.5) * last / n);
      pen.globalAlpha = 0.38;
      D.bodies.forEach((body, b) => {
        if (body.ground || !shown[b]) return;
        onBody(poseOf(body, i, 0));
        for (const part of parts[b]) skeleton(pen, part, looks[b].line, view.s);
      });
      pen.globalAlpha = 1;
    }
  }
  function paintPaths(i, s) {
    if (!P.pressed("paths")) return;
    page();
    const m = finer(), done = Math.floor(P.pos() * m), X = p => sx(p[0]), Y = p => sy(p[1]);
    paths.forEach((it, n) => {
      if (!it.shown || !it.points.length) return;
      const here = it.trace.body === undefined ? tracePoint(it.trace, i, s) : global(pose[it.trace.body], it.trace.at), whole = P.trail >= 1, colour = css(mix(rgb(C.hex(it.trace.colour, "path")), [1, 1, 1], C.night ? 0.2 : 0));
      const first = whole ? 0 : Math.max(0, Math.floor(done - P.trail * it.points.length)), last = Math.min(done, it.points.length - 1);
      pen.lineJoin = pen.lineCap = "round";
      if (whole) {
        pen.globalAlpha = 0.4; pen.strokeStyle = colour; pen.lineWidth = 1.3; pen.beginPath();
        for (const p of it.points) pen.lineTo(X(p), Y(p));
        pen.stroke(); pen.globalAlpha = 1;
      }
      pen.lineWidth = 2.4; pen.strokeStyle = colour;
      if (P.bySpeed) for (let k = first; k < last; k++) {
        pen.strokeStyle = css(C.speed(it.speeds[k] / (it.top || 1))); pen.beginPath();
        pen.moveTo(X(it.points[k]), Y(it.points[k])); pen.lineTo(X(it.points[k + 1]), Y(it.points[k + 1])); pen.stroke();
      } else if (P.trail > 0) {
        pen.beginPath(); for (let k = first; k <= last; k++) pen.lineTo(X(it.points[k]), Y(it.points[k]));
        if (!P.hand) pen.lineTo(X(here), Y(here));
        pen.stroke();
      }
      pen.fillStyle = colour; pen.strokeStyle = C.paperText; pen.lineWidth = 1.5;
      pen.beginPath(); pen.arc(X(here), Y(here), clamp(0.8 * U * view.s, 3, 7), 0, 7); pen.fill(); pen.stroke();
    });
  }
  const reach = () => 0.17 * Math.max(box[2] - box[0], box[3] - box[1]) * view.s;
  function paintArrows(i, s) {
    const out = [];
    page();
    arrows.forEach((it, n) => {
      if (!P.pressed(TOGGLE_OF[it.kind]) || !acting[n] || !largest[it.kind] || !it.v[0].length) return;
      const v = it.v.map(series => at(series, i, s)), size = Math.hypot(...v), o = it.o ? it.o.map(series => at(series, i, s)) : global(pose[it.body], it.at);
      const x = sx(o[0]), y = sy(o[1]), length = reach() * size / largest[it.kind];
      if (it.value) it.value.textContent = `${short(size, 3)} ${it.unit}`;
      if (size < 1e-9 * largest[it.kind]) return;
      if (it.v.length === 1) {
        const r = clamp(2.2 * U * view.s + 0.3 * length, 8, 36);
        turnArrow(pen, x, y, r, Math.sign(v[0]), C.hex(it.colour));
        out.push({it, text: `${short(v[0], 3)} ${it.unit}`, x: x + r, y: y - r, a: [x - r, y], b: [x + r, y], v});
      } else {
        const dx = v[0] / size * length, dy = -v[1] / size * length;
        arrow(pen, x, y, dx, dy, C.hex(it.colour));
        out.push({it, text: `${short(size, 3)} ${it.unit}`, x: x + dx, y: y + dy, a: [x, y], b: [x + dx, y + dy], v});
      }
    });
    return out;
  }
  function paintGrid() {
    page();
    const {W, H, s} = view, step = nice(130 / s), left = view.x + off[0] - W / 2 / s, low = view.y + off[1] - H / 2 / s;
    pen.lineWidth = 1; pen.font = "11px system-ui, sans-serif"; pen.textBaseline = "alphabetic";
    const each = (from, span, draw) => { for (let n = Math.ceil(from / step); n <= (from + span) / step; n++) draw(n * step, n === 0); };
    for (const strong of [false, true]) {
      pen.strokeStyle = strong ? C.axisText : C.gridText; pen.beginPath();
      each(left, W / s, (v, zero) => { if (zero === strong) { const x = Math.round(sx(v)) + 0.5; pen.moveTo(x, 0); pen.lineTo(x, H); } });
      each(low, H / s, (v, zero) => { if (zero === strong) { const y = Math.round(sy(v)) + 0.5; pen.moveTo(0, y); pen.lineTo(W, y); } });
      pen.stroke();
    }
    const most = (from, span) => Math.max(Math.abs(from), Math.abs(from + span)), largest = Math.max(most(left, W / s), most(low, H / s));
    pen.fillStyle = C.softText; pen.textAlign = "center";
    each(left, W / s, v => { const x = sx(v); if (x > 44 && x < W - 190) pen.fillText(ticked(v, step, largest), x, H - 7); });
    pen.textAlign = "left";
    each(low, H / s, v => { const y = sy(v); if (y > 16 && y < H - 26) pen.fillText(ticked(v, step, largest), 6, y + 4); });
    pen.fillText(D.unit, 6, H - 7);
    const size = nice(Math.min(150, W / 3) / s), w = size * s, x = W - 16 - w;
    pen.strokeStyle = C.inkText; pen.lineWidth = 1.6; pen.beginPath(); pen.moveTo(x, H - 18); pen.lineTo(x, H - 10); pen.lineTo(x + w, H - 10); pen.lineTo(x + w, H - 18); pen.stroke();
    pen.textAlign = "center"; pen.fillText(`${ticked(size, size)} ${D.unit}`, x + w / 2, H - 17);
  }
  function paintGravity() {
    const g = Math.hypot(...D.gravity);
    if (!g) return;
    page();
    const x = 78, y = 28, dx = 24 * D.gravity[0] / g, dy = -24 * D.gravity[1] / g;
    arrow(pen, x - dx / 2, y - dy / 2, dx, dy, C.softText, 2);
    write(pen, C, "g", x + 12, y, C.softText, "italic 13px system-ui, sans-serif");
  }
  // ---- names: beside links, at joints, at arrows; first come those that say most
  const names = [];
  for (const label of D.labels) names.push({body: label.body, p: label.at, text: label.text, joint: true, beside: label.gap, side: 0, on: label.on});
  D.bodies.forEach((body, b) => { if (body.anchor) names.push({body: b, p: body.anchor, dir: body.anchor[2], text: body.name, side: 0, minor: 1}); });
  for (const rod of D.rods) if (rod.label) names.push({rod, text: rod.label, side: 0, minor: 2, on: rod.on});
  function paintLabels(i, values) {
    page();
    const wanted = [], taken = [], gap = U * view.s, {W, H} = view, plain = "12.5px system-ui, sans-serif", slanted = "italic " + plain;
    for (const it of values) {
      pen.font = plain;
      const ex = it.b[0] - it.a[0], ey = it.b[1] - it.a[1], side = Math.abs(ex) > Math.abs(ey);
      wanted.push({x: it.x, y: it.y, w: pen.measureText(it.text).width, gap: 5, get side() { return it.it.side; }, set side(v) { it.it.side = v; }, normal: side ? [Math.sign(ex) || 1, 0] : [0, Math.sign(ey) || 1], text: it.text, colour: textColour(C.hex(it.it.colour)), font: plain});
    }
    if (P.pressed("labels")) {
      for (const name of names) {
        if (name.rod ? !name.rod.bodies.every(b => shown[b]) : !shown[name.body]) continue;
        if (name.joint && !P.pressed("joints")) continue;
        let q, normal = null;
        if (name.rod) { const [a, b] = rodEnds(name.rod), l = Math.hypot(b[0] - a[0], b[1] - a[1]) || 1; q = [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2]; normal = [-(b[1] - a[1]) / l, -(b[0] - a[0]) / l]; }
        else {
          q = global(pose[name.body], name.p);
          if (name.dir !== undefined) { const phi = pose[name.body][2] + name.dir; normal = [-Math.sin(phi), -Math.cos(phi)]; }
        }
        const x = sx(q[0]), y = sy(q[1]);
        if (x < -20 || y < -20 || x > W + 20 || y > H + 20) continue;
        if (name.joint) taken.push([x - 0.9 * gap, y - 0.9 * gap, x + 0.9 * gap, y + 0.9 * gap]);
        pen.font = name.joint ? plain : slanted;
        name.x = x; name.y = y; name.w = pen.measureText(name.text).width; name.normal = normal; name.font = pen.font;
        name.gap = (name.joint ? name.beside : name.rod ? name.rod.gap : normal ? 1.25 : 0.3) * gap + 3; name.colour = name.joint ? C.inkText : C.softText;
        name.faint = !isOn(name, i);
        wanted.push(name);
      }
    }
    for (const {label, box: b} of placeLabels(wanted, taken, [2, 2, W - 2, H - 2])) {
      pen.globalAlpha = label.faint ? 0.35 : 1;
      write(pen, C, label.text, (b[0] + b[2]) / 2, (b[1] + b[3]) / 2, label.colour, label.font);
    }
    pen.globalAlpha = 1;
  }
  let drawnArrows = [];
  function draw() {
    ratio = stage.width / view.W;
    page(); pen.clearRect(0, 0, view.W, view.H);
    if (!T.length) return;
    const i = Math.min(Math.floor(P.pos()), clock.last()), s = i >= clock.last() ? 0 : P.pos() - i;
    pose = D.bodies.map((b, n) => P.hand && P.hand.chart.pose(n, P.hand.values) || poseOf(b, i, s));
    off = shift();
    if (P.pressed("floor")) paintGrid();
    paintBodies(0); paintGhosts(); paintBodies(1); paintMarks("under", i); paintBodies(2); paintRods(i);
    paintPaths(i, s); paintSpirals(i); paintMarks("over", i);
    drawnArrows = P.hand ? [] : paintArrows(i, s);  // forces and speeds are known along the run only
    paintGravity();
    paintLabels(i, drawnArrows);
    hover();
  }
  let mouse = null;
  function hover() {
    let best = 8, found = null;
    for (const it of mouse ? drawnArrows : []) {
      const dx = it.b[0] - it.a[0], dy = it.b[1] - it.a[1], t = clamp(((mouse[0] - it.a[0]) * dx + (mouse[1] - it.a[1]) * dy) / (dx * dx + dy * dy || 1), 0, 1);
      const far = Math.hypot(mouse[0] - it.a[0] - t * dx, mouse[1] - it.a[1] - t * dy);
      if (far < best) { best = far; found = it; }
    }
    P.tip(found && `${found.it.kind} ${found.it.name}: ${found.text}\n(${found.v.map(v => short(v)).join(", ")})`, mouse);
  }
  // ---- drag the crank: the film goes to the frame at which the grabbed point is nearest to the pointer
  function bodyAt(px, py) {
    const x = (px - view.W / 2) / view.s + view.x + off[0], y = (view.H / 2 - py) / view.s + view.y + off[1];
    let best = Math.max(2.2 * U, 10 / view.s), found = null;
    D.bodies.forEach((body, b) => {
      if (body.ground || !shown[b] || body.x.length + body.y.length + body.phi.length <= 3) return;
      const [bx, by, phi] = pose[b], c = Math.cos(phi), s = Math.sin(phi), local = [c * (x - bx) + s * (y - by), c * (y - by) - s * (x - bx)];
      for (const part of body.parts) {
        const lines = part.circle ? [] : part.paths;
        if (part.circle) { const d = Math.max(Math.hypot(local[0] - part.circle[0], local[1] - part.circle[1]) - part.circle[2], 0.5 * U); if (d < best) { best = d; found = {b, local}; } }
        for (const p of lines) for (let i = 0; i + 3 < p.length; i += 2) {
          const dx = p[i + 2] - p[i], dy = p[i + 3] - p[i + 1], t = clamp(((local[0] - p[i]) * dx + (local[1] - p[i + 1]) * dy) / (dx * dx + dy * dy || 1), 0, 1);
          const d = Math.hypot(local[0] - p[i] - t * dx, local[1] - p[i + 1] - t * dy);
          if (d < best) { best = d; found = {b, local}; }
        }
      }
    });
    return found;
  }
  function dragTo(grabbed, px, py) {
    const x = (px - view.W / 2) / view.s + view.x + off[0], y = (view.H / 2 - py) / view.s + view.y + off[1], body = D.bodies[grabbed.b];
    const distance = i => { const p = global(poseOf(body, i, 0), grabbed.local); return Math.hypot(p[0] - x, p[1] - y); };
    const n = T.length, ends = Math.hypot(...[0, 1].map(k => global(poseOf(body, 0, 0), grabbed.local)[k] - global(poseOf(body, n - 1, 0), grabbed.local)[k]));
    P.go(nearestFrame(distance, P.pos(), n, ends < 2 * U));
  }
  return {
    toggles: PLANE_TOGGLES.filter(([id]) => id === "paths" ? D.traces.length : id === "masses" ? marks.some(m => m.mass) : !["forces", "reactions", "velocity", "acceleration"].includes(id) || has(id)),
    views: [["fit", "Fit", "Fit everything into the window (R)"]], paths, arrows, acting, shown,
    hint: "[Space] play · [←] [→] step · drag to move" + (P.drivable ? " (or the mechanism)" : "") + ", wheel to zoom · [R] fit",
    poses: () => pose,
    onScreen: (x, y) => { const r = stage.getBoundingClientRect(); return [r.left + sx(x), r.top + sy(y)]; },
    draw, fit, zoom, pan, resize, theme, bodyAt: P.drivable ? bodyAt : null, dragTo,
    drag: pan, point: p => { mouse = p; if (D.arrows.length) P.show(); },
    followed() { view.held = P.followed < 0 ? [0, 0] : [0, 1].map(k => at(k ? D.bodies[P.followed].y : D.bodies[P.followed].x, 0, 0)); if (P.followed < 0) fit(); else closer(); P.show(); },
    look() {}, view() {}, touched: () => view.touched, keys: {}, shifted: {}, solid: b => parts[b].length || marks.some(m => m.body === b),
    receive(frame) {
      D.bodies.forEach((body, b) => [body.x, body.y, body.phi].forEach((list, k) => list.push(frame.p[b][k])));
      paths.forEach(course);
    },
    thin(halve) { D.bodies.forEach(b => [b.x, b.y, b.phi].forEach(halve)); for (const it of paths) { it.points = []; it.speeds = []; } },
    survey() {  // in a live view the box grows with what has been seen
      if (!P.live) return;
      const low = [D.box[0], D.box[1]], high = [D.box[2], D.box[3]];
      for (let i = 0; i < T.length; i += Math.max(1, T.length >> 7)) D.bodies.forEach((body, b) => {
        const p = poseOf(body, i, 0);
        for (const part of body.parts) for (const path of part.circle ? [part.circle.slice(0, 2)] : part.paths) for (let k = 0; k + 1 < path.length; k += 2) {
          const q = global(p, [path[k], path[k + 1]]);
          for (const c of [0, 1]) { low[c] = Math.min(low[c], q[c]); high[c] = Math.max(high[c], q[c]); }
        }
      });
      box = [...low, ...high];
    },
  };
}
