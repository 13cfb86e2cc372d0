// The stage in space: what there is to see at an instant, as lists of surfaces and lines for a renderer.
import {groundAxes, makeCamera, FOV, QUARTER, VIEWS} from "./camera.mjs";
import {write} from "./canvas2d.mjs";
import {css, mix, rgb} from "./colours.mjs";
import {flatPainter} from "./flat.mjs";
import {placeLabels} from "./labels.mjs";
import {clamp, nice, short} from "./numbers.mjs";
import {isOn, unpack} from "./series.mjs";
import {Surface, chain, segments, triples} from "./surfaces.mjs";
import {spiralPoints} from "./symbols.mjs";
import {add, dot, move, scale, size, still, sub, turned, unit} from "./vectors.mjs";
import {FAINT, glPainter} from "./webgl.mjs";

const SPACE_TOGGLES = [["joints", "Joints", "j", true], ["labels", "Labels", "l", true], ["paths", "Paths", "p", true], ["forces", "Forces", "f", true],
  ["velocity", "Velocities", "v", false], ["acceleration", "Accelerations", "a", false], ["axes", "Frames", "x", false], ["floor", "Grid", "g", true]];
const SPACE_TOGGLE_OF = {force: "forces", moment: "forces", velocity: "velocity", acceleration: "acceleration"};
const AXES = [[1, 0, 0], [0, 1, 0], [0, 0, 1]], KINDS = ["force", "moment", "velocity", "acceleration"];

// ---- attitudes turn evenly from frame to frame
export function attitude(e, i, s) {
  const get = j => e.map(v => v.length === 1 ? v[0] : v[j]), a = get(i);
  if (!s) return a;
  const b = get(i + 1), c = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3], near = Math.min(Math.abs(c), 1);
  const angle = Math.acos(near), sine = Math.sin(angle), flat = sine < 1e-5;
  const ka = flat ? 1 - s : Math.sin((1 - s) * angle) / sine, kb = (flat ? s : Math.sin(s * angle) / sine) * (c < 0 ? -1 : 1);
  return a.map((v, n) => ka * v + kb * b[n]);
}
export function poseMatrix(e, p) {
  const n = Math.hypot(...e) || 1, [w, x, y, z] = e.map(v => v / n);
  return [1 - 2 * (y * y + z * z), 2 * (x * y + w * z), 2 * (x * z - w * y), 0, 2 * (x * y - w * z), 1 - 2 * (x * x + z * z),
    2 * (y * z + w * x), 0, 2 * (x * z + w * y), 2 * (y * z - w * x), 1 - 2 * (x * x + y * y), 0, p[0], p[1], p[2], 1];
}
// a body's surfaces by colour, edges and lines, built once
function buildBody(body, U) {
  const build = parts => [...new Set(parts.map(part => `${part.style} ${part.role || ""}`))].map(key => {
    const [style, role] = key.split(" ");
    const surface = new Surface(U), edges = [], own = parts.filter(part => part.style === style && (part.role || "") === role), balls = own.filter(part => part.kind === "sphere");
    for (const part of own) {
      const p = triples(part.kind === "mesh" ? [] : part.v), rounded = part.kind === "tube" && balls.some(ball =>
        Math.abs(ball.r[0] - part.r[0]) < 1e-3 * part.r[0] && p.some(end => size(sub(end, ball.v)) < 1e-3 * part.r[0]));
      if (part.kind === "tube") surface.tube(p[0], p[1], part.r[0], part.r[1], part.sides, rounded ? null : edges);
      else if (part.kind === "sphere") surface.sphere(p[0], part.r[0]);
      else if (part.kind === "mesh") surface.mesh(part.v, part.f, edges);
    }
    return {style, role, surface: surface.a.length ? surface.done() : null, edges: edges.length ? segments(edges) : null};
  });
  const lines = body.parts.filter(part => part.kind === "line").flatMap(part => chain(triples(part.v)));
  const reach = [...body.parts, ...body.marks].flatMap(part => {  // points that hold it, for fitting the view
    const p = triples(part.v), r = part.r ? Math.max(...part.r) : 0;
    if (p.length <= 16) return p.map(q => [...q, r]);
    const low = [0, 1, 2].map(k => p.reduce((m, q) => Math.min(m, q[k]), Infinity)), high = [0, 1, 2].map(k => p.reduce((m, q) => Math.max(m, q[k]), -Infinity));
    return [0, 1, 2, 3, 4, 5, 6, 7].map(n => [n & 1 ? low[0] : high[0], n & 2 ? low[1] : high[1], n & 4 ? low[2] : high[2], 0]);
  });
  const passing = [...new Set(body.marks.map(part => part.on))];  // marks that come and go together are one surface
  return {own: build(body.parts), marks: passing.map(on => ({on, parts: build(body.marks.filter(part => part.on === on))})), lines: lines.length ? segments(lines) : null,
    reach: reach.length ? reach : [[0, 0, 0, U]]};
}
function rodSurface(surface, kind, a, b, U, coils) {  // a link, a coil that stretches, or a piston that slides
  if (size(sub(b, a)) === 0) { surface.sphere(a, 0.5 * U, 14); return; }
  if (kind === "rod") { surface.tube(a, b, 0.5 * U, 0.5 * U, 0); return; }
  surface.sphere(a, 0.6 * U, 14); surface.sphere(b, 0.6 * U, 14);
  if (kind === "spring") surface.coil(a, b, 1.7 * U, 0.27 * U, coils);
  else if (kind === "bumper") {
    const d = unit(sub(b, a)), reach = Math.min(2.4 * U, 0.3 * size(sub(b, a)));
    surface.tube(a, add(a, d, reach), 1.1 * U, 0.6 * U); surface.tube(b, add(b, d, -reach), 1.1 * U, 0.6 * U);
  } else { const m = add(a, sub(b, a), 0.55); surface.tube(a, m, 1.3 * U, 1.3 * U); surface.tube(m, b, 0.45 * U, 0.45 * U); }
}
export function spaceStage(P) {
  const {D, $, clock, live} = P, T = clock.T, U = D.pin, stage = $("stage"), frames = () => T.length, last = () => clock.last();
  const at3 = (v, i, s) => [0, 1, 2].map(k => clock.at(v[k], i, s)), pose = (body, i, s) => poseMatrix(attitude(body.e, i, s), at3(body.p, i, s));
  const shapes = D.bodies.map(body => buildBody(body, U)), shown = D.bodies.map(() => true), acting = D.arrows.map(() => true);
  const arrows = D.arrows.map(a => ({...a, o: a.o && a.o.map(v => typeof v === "string" ? unpack(v) : v), v: a.v.map(v => typeof v === "string" ? unpack(v) : v), side: 0}));
  const ground = groundAxes(D.up), [E1, E2, E3] = ground, cam = makeCamera(ground), pen = stage.getContext("2d");
  const S = {cam, C: {}, project: cam.project};
  let C = {};
  function theme() {
    C = S.C = {...P.theme()};
    C.body = D.bodies.map(b => b.colour === "stone" ? C.stone : mix(rgb(C.hex(b.colour)), [1, 1, 1], C.night ? 0.16 : 0.08));
    C.trace = D.traces.map(t => mix(rgb(C.hex(t.colour, "path")), [1, 1, 1], C.night ? 0.2 : 0));
  }
  theme();
  const ball = (() => { const s = new Surface(U); s.sphere([0, 0, 0], 1.2 * U, 20); return s.done(); })();
  // ---- paths: points from frame to frame, finer where frames are few
  const finer = () => live ? 1 : clamp(Math.ceil(400 / Math.max(last(), 1)), 1, 16);
  const tracePoint = (trace, i, s) => trace.body === undefined ? at3(trace.xyz, i, s) : move(pose(D.bodies[trace.body], i, s), trace.at);
  const paths = D.traces.map(trace => ({trace, shown: true, points: [], speeds: [], top: 0, lines: segments([], live), list: []}));
  function course(it) {
    const m = finer(), n = last() * m;
    if (!frames()) return;
    for (let k = it.points.length; k <= n; k++) {
      const p = tracePoint(it.trace, Math.floor(k / m), (k % m) / m), before = it.points[k - 1];
      if (before) {
        const dt = clock.timeAt(k / m) - clock.timeAt((k - 1) / m), v = dt > 0 ? size(sub(p, before)) / dt : 0;
        it.list.push(...before, ...p); it.speeds.push(v); it.top = Math.max(it.top, v);
      }
      it.points.push(p);
    }
    it.lines = segments(it.list, live);
  }
  // ---- what there is to see over all frames, and the floor under it
  const world = {cloud: [], centre: [0, 0, 0], radius: 1, floor: 0, step: 1, reach: 1, arrows: {}};
  const arrowScale = arrow => world.arrows[arrow.kind] > 0 ? world.reach / world.arrows[arrow.kind] : 0;
  const startOf = (arrow, i, s) => arrow.o ? at3(arrow.o, i, s) : move(pose(D.bodies[arrow.body], i, s), arrow.at);
  const arrowFrames = arrow => Math.max(...arrow.v.map(v => v.length));
  function survey() {
    const n = frames(), cloud = [], low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
    const stops = Math.min(n, 48), include = (p, r = 0) => {
      cloud.push([...p, r]);
      ground.forEach((e, k) => { const v = dot(p, e); low[k] = Math.min(low[k], v - r); high[k] = Math.max(high[k], v + r); });
    };
    world.arrows = Object.fromEntries(KINDS.map(kind => [kind, 0]));
    for (const arrow of arrows) for (let i = 0; i < arrowFrames(arrow); i++) world.arrows[arrow.kind] = Math.max(world.arrows[arrow.kind], size(at3(arrow.v, i, 0)));
    const stop = s => stops > 1 ? Math.round(s * (n - 1) / (stops - 1)) : 0;
    for (let s = 0; s < stops; s++) D.bodies.forEach((body, b) => { const M = pose(body, stop(s), 0); for (const q of shapes[b].reach) include(move(M, q), q[3]); });
    for (let s = 0; s < stops; s++) for (const rod of D.rods) for (const k of [0, 1]) include(move(pose(D.bodies[rod.bodies[k]], stop(s), 0), rod.at[k]), U);
    for (const it of paths) { course(it); for (let k = 0; k < it.points.length; k += Math.max(1, it.points.length >> 6)) include(it.points[k]); }
    if (!cloud.length) include([0, 0, 0], 10 * U);
    const wide3 = Math.hypot(high[0] - low[0], high[1] - low[1], high[2] - low[2]);
    world.reach = 0.16 * wide3;
    for (let s = 0; s < stops; s++) for (const arrow of arrows) if (arrow.v[0].length && P.pressed(SPACE_TOGGLE_OF[arrow.kind])) include(add(startOf(arrow, stop(s), 0), at3(arrow.v, stop(s), 0), arrowScale(arrow)));
    const rise = high[2] - low[2], at0 = low[2] >= -1e-9 * wide3 && low[2] < 0.35 * Math.max(rise, 0.3 * wide3);
    world.floor = at0 ? 0 : low[2] - 0.03 * wide3;
    const wide = Math.max(high[0] - low[0], high[1] - low[1], 0.4 * wide3), step = nice(wide / 6), margin = 0.22 * wide;
    const from = [0, 1].map(k => Math.floor((low[k] - margin) / step)), to = [0, 1].map(k => Math.ceil((high[k] + margin) / step));
    const fine = [], strong = [], point = (a, b) => add(add(scale(E1, a * step), E2, b * step), E3, world.floor), lines = [fine, strong];
    for (const k of [0, 1]) for (let g = 5 * from[k]; g <= 5 * to[k]; g++) {
      const list = lines[g % 5 ? 0 : 1], [a, b] = [from[1 - k], to[1 - k]];
      for (let m = a; m < b; m++) list.push(...(k ? point(m, g / 5) : point(g / 5, m)), ...(k ? point(m + 1, g / 5) : point(g / 5, m + 1)));
    }
    const middle = [0, 1, 2].map(k => (low[k] + high[k]) / 2);
    Object.assign(world, {cloud, step, fine: segments(fine), strong: segments(strong), centre: add(add(scale(E1, middle[0]), E2, middle[1]), E3, middle[2]),
      radius: Math.hypot((to[0] - from[0]) * step, (to[1] - from[1]) * step, rise) / 2 + 0.1 * wide3});
  }
  function fit() {
    const {W, H} = cam, panel = W > 760 && !$("lists").hidden ? $("lists").offsetWidth : 0;
    cam.fit(world.cloud, {left: 24, right: 24 + Math.min(panel, 0.3 * W), top: Math.min(44, 0.2 * H), bottom: Math.min(live ? 50 : 32, 0.2 * H), least: 4 * U});
  }
  // ---- renderer: WebGL, or pixel by pixel
  let painter = null;
  function choosePainter() {
    try { painter = P.ask().get("renderer") === "2d" ? null : glPainter($("solid"), S); } catch { painter = null; }
    if (!painter) paintFlat();
    else $("solid").addEventListener("webglcontextlost", paintFlat);
  }
  function paintFlat() {  // without WebGL, or when the graphics card has gone
    const canvas = $("solid").cloneNode();  // a canvas keeps its first kind of context
    $("solid").replaceWith(canvas);
    painter = flatPainter(canvas, S);
    if (!painter) P.say("This picture needs WebGL or a 2-D canvas, and this browser has neither switched on.");
    P.show();
  }
  choosePainter();
  // ---- what is shown now
  let placed = [];  // poses of the bodies now
  const nothing = () => ({solids: [], faint: [], floor: [], lines: [], over: [], arrows: []});
  const rodEnds = rod => [0, 1].map(k => move(placed[rod.bodies[k]], rod.at[k]));
  const metal = (style, role) => { const own = C.symbol(role); return style === "joint" ? own ? rgb(own) : C.steel : own ? mix(rgb(own), [0, 0, 0], 0.3) : C.iron; };
  const edge = c => mix(c, [0, 0, 0], C.night ? 0.5 : 0.42);
  function showBodies(list, i) {
    D.bodies.forEach((body, b) => {
      if (!shown[b]) return;
      const M = placed[b];
      const put = (parts, on) => {
        for (const {style, role, surface, edges} of parts) {
          const colour = style === "body" ? C.body[b] : metal(style, role);
          if (surface) (on ? list.solids : list.faint).push({geo: surface, M, colour, casts: on});
          if (edges) list.lines.push({geo: edges, M, colour: edge(colour), width: 1.1, alpha: on ? 1 : FAINT});
        }
      };
      put(shapes[b].own, true);
      if (P.pressed("joints")) for (const mark of shapes[b].marks) put(mark.parts, isOn(mark, i));
      if (shapes[b].lines) list.lines.push({geo: shapes[b].lines, M, colour: C.body[b], width: 2.4});
      if (P.pressed("axes") && !body.ground) AXES.forEach((axis, k) => {
        list.over.push({geo: segments([0, 0, 0, ...scale(axis, 0.5 * world.reach)], true), M, colour: C.triad[k], width: 2.4});
      });
    });
    for (const role of new Set(D.rods.map(rod => rod.role))) for (const on of [true, false]) {
      const rods = new Surface(U);
      for (const rod of D.rods) if (rod.role === role && isOn(rod, i) === on && rod.bodies.every(b => shown[b])) rodSurface(rods, rod.kind, ...rodEnds(rod), U, D.coils);
      if (rods.a.length) (on ? list.solids : list.faint).push({geo: rods.done(true), M: still, colour: metal("joint", role), casts: on});
    }
  }
  function showSpirals(list, i, s) {
    for (const it of D.spirals) {
      if (!shown[it.body] || !P.pressed("joints")) continue;
      const flat = spiralPoints(clock.at(it.turned, i, s), D.spiral), [x, y, z] = triples(it.axes), k = -D.spiral.share * it.u, wire = [], surface = new Surface(U), on = isOn(it, i);
      for (let n = 0; n < flat.length; n += 2) wire.push(add(add(add(it.at, x, k * flat[n]), y, k * flat[n + 1]), z, D.spiral.up * it.u));
      surface.wire(wire, z, 0.25 * it.u);
      (on ? list.solids : list.faint).push({geo: surface.done(true), M: placed[it.body], colour: metal("ink", "spring"), casts: on});
    }
  }
  function showGhosts(list) {  // other positions as thin outlines, which hide nothing
    for (let g = 0; g < P.ghosts && last() > 0; g++) {
      const i = Math.round((g + 0.5) * last() / P.ghosts);
      D.bodies.forEach((body, b) => {
        if (body.ground || !shown[b]) return;
        const M = pose(body, i, 0);
        for (const {edges} of shapes[b].own) if (edges) list.lines.push({geo: edges, M, colour: C.body[b], width: 0.9, alpha: 0.4});
        if (shapes[b].lines) list.lines.push({geo: shapes[b].lines, M, colour: C.body[b], width: 1, alpha: 0.4});
      });
    }
  }
  function showPaths(list, i, s) {
    paths.forEach((it, n) => {
      if (!it.shown || !it.points.length) return;
      const m = finer(), done = Math.min(Math.floor(P.pos() * m), it.points.length - 1), p = it.trace.body === undefined ? tracePoint(it.trace, i, s) : move(placed[it.trace.body], it.trace.at), colour = C.trace[n];
      const whole = P.trail >= 1, first = whole ? 0 : Math.max(0, Math.floor(done - P.trail * it.points.length));
      if (whole) list.lines.push({geo: it.lines, M: still, colour, width: 1.5, alpha: 0.45});
      const tail = (a, b, c) => list.lines.push({geo: segments(it.list.slice(6 * a, 6 * b), true), M: still, colour: c, width: 2.8, bias: 0.0002});
      if (P.bySpeed) {
        const run = Math.max(1, Math.ceil((done - first) / 96));
        for (let k = first; k < done; k += run) tail(k, Math.min(k + run, done), C.speed(it.speeds[k] / (it.top || 1)));
      } else if (whole) list.lines.push({geo: it.lines, M: still, colour, width: 2.8, bias: 0.0002, count: done});
      else if (P.trail > 0) tail(first, done, colour);
      if (P.trail > 0 && !P.hand) list.lines.push({geo: segments([...it.points[done], ...p], true), M: still, colour, width: 2.8, bias: 0.0002});
      list.solids.push({geo: ball, M: [...still.slice(0, 12), ...p, 1], colour});
    });
  }
  function showArrows(list, i, s) {
    for (const kind of KINDS) if (P.pressed(SPACE_TOGGLE_OF[kind])) {
      const surface = new Surface(U);
      arrows.forEach((arrow, n) => {
        if (arrow.kind !== kind || !acting[n] || !arrow.v[0].length) return;
        const o = startOf(arrow, i, s), v = at3(arrow.v, i, s), drawn = scale(v, arrowScale(arrow));
        surface.arrow(o, drawn, kind === "moment" ? 2 : 1);
        list.arrows.push({arrow, o, tip: add(o, drawn), v});
      });
      if (surface.a.length) list.solids.push({geo: surface.done(true), M: still, colour: rgb(C.hex(arrows.find(a => a.kind === kind).colour)), through: true});
    }
  }
  function picture() {
    const i = Math.min(Math.floor(P.pos()), last()), s = i >= last() ? 0 : P.pos() - i, list = {...nothing(), shadow: null};
    placed = D.bodies.map((body, b) => {
      const own = P.hand && P.hand.chart.pose(b, P.hand.values);
      return own ? poseMatrix(own.slice(3), own) : pose(body, i, s);
    });
    showBodies(list, i); showSpirals(list, i, s); showGhosts(list);
    if (P.pressed("paths")) showPaths(list, i, s);
    if (!P.hand) showArrows(list, i, s);  // forces and speeds are known along the run only
    if (P.pressed("floor") && world.fine) {
      list.floor.push({geo: world.fine, M: still, colour: C.grid, width: 1}, {geo: world.strong, M: still, colour: C.axis, width: 1.2});
      const l = unit(add(add(E3, E1, 0.18), E2, -0.1)), k = dot(l, E3), f = world.floor;  // along l onto the floor
      const shade = still.slice();
      for (let c = 0; c < 3; c++) for (let r = 0; r < 3; r++) shade[4 * c + r] -= l[r] * E3[c] / k;
      for (let r = 0; r < 3; r++) shade[12 + r] = l[r] * f / k;
      list.shadow = shade;
    }
    return list;
  }
  // ---- names, values, axes and the size of the grid, above the picture
  const names = [];
  for (const label of D.labels) names.push({b: label.body, p: label.at, text: label.text, joint: true, side: 0, on: label.on});
  D.bodies.forEach((body, b) => { if (body.anchor) names.push({b, p: body.anchor.slice(0, 3), d: body.anchor.length > 3 ? body.anchor.slice(3) : null, text: body.name, side: 0, minor: 1}); });
  for (const rod of D.rods) if (rod.label) names.push({rod, text: rod.label, side: 0, minor: 2, on: rod.on});
  function wantedNames(L) {
    const wanted = [], px = cam.H / (2 * FOV * cam.dist);  // pixels per unit of length
    for (const name of names) {
      if (name.rod ? !name.rod.bodies.every(b => shown[b]) : !shown[name.b]) continue;
      if (name.joint && !P.pressed("joints")) continue;
      const point = name.rod ? (([a, b]) => scale(add(a, b), 0.5))(rodEnds(name.rod)) : move(placed[name.b], name.p), q = cam.project(L, point);
      if (!q) continue;
      name.font = pen.font = (name.joint ? "" : "italic ") + "12.5px system-ui, sans-serif";
      name.x = q[0]; name.y = q[1]; name.w = pen.measureText(name.text).width; name.gap = (name.joint ? 1.5 : name.rod ? 1.9 : 1) * U * px + 4;
      name.colour = name.joint ? C.inkText : C.softText; name.normal = null; name.faint = !isOn(name, Math.min(Math.floor(P.pos()), last()));
      if (name.d) {
        const e = cam.project(L, add(point, turned(placed[name.b], name.d), 4 * U)), n = e ? unit([q[1] - e[1], e[0] - q[0], 0]) : [0, 1, 0];
        name.normal = [n[0], n[1]];
      }
      wanted.push(name);
    }
    return wanted;
  }
  function wantedValues(L, list) {
    const wanted = [];
    pen.font = "12px system-ui, sans-serif";
    for (const {arrow, tip, v} of list.arrows) {
      const q = cam.project(L, tip), text = `${short(size(v), 3)} ${arrow.unit}`;
      if (q && size(v) > 1e-9 * world.arrows[arrow.kind]) wanted.push({x: q[0], y: q[1], w: pen.measureText(text).width, gap: 5, text, colour: C.night ? css(mix(rgb(C.hex(arrow.colour)), [1, 1, 1], 0.35)) : C.hex(arrow.colour), font: pen.font, get side() { return arrow.side; }, set side(k) { arrow.side = k; }});
    }
    return wanted;
  }
  function overlay(L, list) {
    const {W, H} = cam, k = stage.width / W;
    pen.setTransform(k, 0, 0, k, 0, 0); pen.clearRect(0, 0, W, H);
    const taken = [[8, H - 92, 92, H - 8]];
    if (P.pressed("labels") && frames()) {
      for (const {label, box: b} of placeLabels([...wantedValues(L, list), ...wantedNames(L)], taken, [0, 0, W, H])) {
        pen.globalAlpha = label.faint ? 0.35 : 1;
        write(pen, C, label.text, (b[0] + b[2]) / 2, (b[1] + b[3]) / 2, label.colour, label.font);
      }
      pen.globalAlpha = 1;
    }
    const {r, u, d} = cam.basis();
    AXES.map((a, n) => ({n, x: dot(a, r), y: dot(a, u), z: dot(a, d)})).sort((a, b) => a.z - b.z).forEach(({n, x, y}) => {
      const ox = 50, oy = H - 50, ex = ox + 30 * x, ey = oy - 30 * y, far = Math.hypot(x, y);
      pen.strokeStyle = pen.fillStyle = css(C.triad[n]); pen.lineWidth = 2.6; pen.lineCap = "round";
      pen.beginPath(); pen.moveTo(ox, oy); pen.lineTo(ex, ey); pen.stroke();
      if (far < 0.12) { pen.beginPath(); pen.arc(ox, oy, 3.5, 0, 7); pen.fill(); }
      const g = far < 0.12 ? 0 : 10 / far;
      write(pen, C, "xyz"[n], ex + (g ? g * x : -11), ey - (g ? g * y : -11), css(C.triad[n]), "600 12.5px system-ui, sans-serif");
    });
    if (P.pressed("floor") && frames()) write(pen, C, `grid ${short(world.step)} ${D.unit}`, W - 12, H - 14, C.softText, "11.5px system-ui, sans-serif", "right");
    hover(L, list);
  }
  let mouse = null;
  function hover(L, list) {
    let best = 9, found = null;
    for (const it of mouse ? list.arrows : []) {
      const a = cam.project(L, it.o), b = cam.project(L, it.tip);
      if (!a || !b) continue;
      const dx = b[0] - a[0], dy = b[1] - a[1], t = clamp(((mouse[0] - a[0]) * dx + (mouse[1] - a[1]) * dy) / (dx * dx + dy * dy || 1), 0, 1);
      const far = Math.hypot(mouse[0] - a[0] - t * dx, mouse[1] - a[1] - t * dy);
      if (far < best) { best = far; found = it; }
    }
    P.tip(found && `${found.arrow.name}: ${short(size(found.v))} ${found.arrow.unit}\n(${found.v.map(v => short(v)).join(", ")})`, mouse);
  }
  let held = null;  // where the followed body was when it began to be followed
  function draw() {
    if (!painter) return;
    const list = frames() ? picture() : nothing(), target = cam.target;
    if (P.followed >= 0 && held && frames()) cam.target = add(target, sub(placed[P.followed].slice(12, 15), held));
    const L = cam.lens(world.centre, world.radius);
    painter.draw(L, list);
    if (painter.lost && painter.lost()) { paintFlat(); return; }
    overlay(L, list);
    cam.target = target;
    for (const {arrow, v} of list.arrows) if (arrow.value) arrow.value.textContent = `${short(size(v), 3)} ${arrow.unit}`;
  }
  const orbit = (yaw, pitch) => { cam.yaw += yaw; cam.pitch = clamp(cam.pitch + pitch, -QUARTER, QUARTER); cam.touched = true; P.show(); };
  function zoom(factor, px = cam.W / 2, py = cam.H / 2) {
    const {r, u} = cam.basis(), dist = clamp(cam.dist / factor, 2 * U, 60 * world.radius), k = 2 * FOV / cam.H * (cam.dist - dist);
    cam.target = add(add(cam.target, r, k * (px - cam.W / 2)), u, -k * (py - cam.H / 2)); cam.dist = dist; cam.touched = true;
    P.show();
  }
  function pan(dx, dy) {
    const {r, u} = cam.basis(), k = 2 * FOV * cam.dist / cam.H;
    cam.target = add(add(cam.target, r, -k * dx), u, k * dy); cam.touched = true;
    P.show();
  }
  function view(name) {
    if (name === "perspective") { P.press("perspective", !P.pressed("perspective")); return; }
    if (VIEWS[name]) { [cam.yaw, cam.pitch] = VIEWS[name]; survey(); fit(); P.show(); }
  }
  const views = [["iso", "Iso", "Isometric view (1)"], ["front", "Front", "View from the front (2)"], ["side", "Side", "View from the right-hand side (3)"],
    ["top", "Top", "View from above (4)"], ["fit", "Fit", "Fit everything into the window (R)"]];
  const has = kind => arrows.some(a => SPACE_TOGGLE_OF[a.kind] === kind), needed = {paths: D.traces.length, forces: has("forces"), velocity: has("velocity"), acceleration: has("acceleration"), joints: D.bodies.some(b => b.marks.length)};
  return {
    toggles: [...SPACE_TOGGLES.filter(([id]) => !(id in needed) || needed[id]), ["perspective", "Perspective", "o", true]], views, paths, arrows, acting, shown,
    hint: "[Space] play · [←] [→] step · drag to turn, [Shift] drag to move, wheel to zoom · [R] fit",
    renderer: () => painter && painter.name,
    onScreen: p => { const r = stage.getBoundingClientRect(), q = cam.project(cam.lens(world.centre, world.radius), p); return q && [r.left + q[0], r.top + q[1]]; },
    draw, fit, zoom, pan, theme, survey, view, bodyAt: null, touched: () => cam.touched,
    resize(W, H) { cam.W = W; cam.H = H; if (!cam.touched) fit(); },
    drag: (dx, dy) => orbit(-0.008 * dx, 0.008 * dy), point: p => { mouse = p; if (D.arrows.length) P.show(); },
    followed() { held = P.followed < 0 ? null : at3(D.bodies[P.followed].p, Math.min(Math.floor(P.pos()), last()), 0); P.show(); },
    look(id, on) { if (id === "perspective") { cam.depth = on; if (!cam.touched) fit(); } },
    keys: {1: () => view("iso"), 2: () => view("front"), 3: () => view("side"), 4: () => view("top"), ArrowUp: () => orbit(0, 0.1), ArrowDown: () => orbit(0, -0.1)},
    shifted: {ArrowLeft: () => orbit(-0.1, 0), ArrowRight: () => orbit(0.1, 0), ArrowUp: () => orbit(0, 0.1), ArrowDown: () => orbit(0, -0.1)},
    solid: b => shapes[b].own.some(it => it.surface) || shapes[b].lines || D.bodies[b].marks.length,
    receive(frame) {
      D.bodies.forEach((body, b) => [...body.p, ...body.e].forEach((list, k) => list.push(frame.p[b][k])));
      arrows.forEach((arrow, n) => {
        if (frame.a) { [...arrow.o, ...arrow.v].forEach((list, k) => list.push(frame.a[n][k])); world.arrows[arrow.kind] = Math.max(world.arrows[arrow.kind] || 0, Math.hypot(...frame.a[n].slice(3))); }
      });
      for (const it of paths) { const old = it.lines; course(it); if (painter) painter.forget(old); }
    },
    thin(halve) {
      for (const body of D.bodies) [...body.p, ...body.e].forEach(halve);
      for (const arrow of arrows) [...arrow.o, ...arrow.v].forEach(halve);
      for (const it of paths) { it.points = []; it.list = []; it.speeds = []; }
    },
  };
}
