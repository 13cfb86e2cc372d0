// The WebGL renderer: draws lists of surfaces and lines as a camera sees them. S is the stage: its camera and its colours.
import {times, unit} from "./vectors.mjs";

export const LIGHT = unit([-0.4, 0.6, 0.75]), FILL = unit([0.7, -0.1, 0.4]);
export const FAINT = 0.25;  // opacity of what is off
export function glPainter(canvas, S) {
  const gl = canvas.getContext("webgl", {antialias: true, alpha: true, stencil: true, premultipliedAlpha: true});
  if (!gl) return null;
  const program = (vertex, fragment) => {
    const it = gl.createProgram();
    for (const [kind, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, "precision highp float;" + fragment]]) {
      const shader = gl.createShader(kind);
      gl.shaderSource(shader, text); gl.compileShader(shader); gl.attachShader(it, shader);
    }
    gl.linkProgram(it);
    if (!gl.getProgramParameter(it, gl.LINK_STATUS)) throw new Error(gl.getProgramInfoLog(it));
    return new Proxy({it}, {get: (o, name) => name in o ? o[name] : o[name] = name[0] === "a" ? gl.getAttribLocation(it, name) : gl.getUniformLocation(it, name)});
  };
  const solid = program(`attribute vec3 aP, aN; uniform mat4 uM, uV, uP; varying vec3 n, p;
    void main() { vec4 q = uV * uM * vec4(aP, 1.); p = q.xyz; n = (uV * uM * vec4(aN, 0.)).xyz; gl_Position = uP * q; }`,
  `varying vec3 n, p; uniform vec4 uC; uniform vec3 uUp, uL, uF; uniform float uDepth, uFlat;
    void main() {
      if (uFlat > .5) { gl_FragColor = uC; return; }
      vec3 e = uDepth > .5 ? normalize(-p) : vec3(0., 0., 1.), m = normalize(n);
      if (dot(m, e) < 0.) m = -m;
      float light = .54 + .11 * dot(m, uUp) + .45 * max(dot(m, uL), 0.) + .1 * max(dot(m, uF), 0.);
      float shine = .2 * pow(max(dot(m, normalize(uL + e)), 0.), 36.);
      gl_FragColor = vec4(uC.rgb * light + shine, 1.) * uC.a;
    }`);
  const line = program(`attribute vec3 aP, aQ; attribute float aS; uniform mat4 uM, uVP; uniform vec2 uSize; uniform float uWidth, uBias;
    void main() {
      vec4 p = uVP * uM * vec4(aP, 1.), q = uVP * uM * vec4(aQ, 1.);
      float e = 1e-4;
      if (p.z < -p.w + e) p = mix(p, q, clamp((p.w + p.z - e) / ((p.w + p.z) - (q.w + q.z)), 0., 1.));
      if (q.z < -q.w + e) q = mix(q, p, clamp((q.w + q.z - e) / ((q.w + q.z) - (p.w + p.z)), 0., 1.));
      vec2 d = (q.xy / q.w - p.xy / p.w) * uSize;
      d = length(d) > 1e-6 ? normalize(d) : vec2(1., 0.);
      vec2 off = (vec2(-d.y, d.x) * aS - d * .3) * uWidth;
      gl_Position = p + vec4(off / uSize * p.w, -uBias * p.w, 0.);
    }`, `uniform vec4 uC; void main() { gl_FragColor = vec4(uC.rgb * uC.a, uC.a); }`);
  const use = it => { gl.useProgram(it.it); for (let i = 0; i < 4; i++) gl.disableVertexAttribArray(i); };
  const bind = (geo, name, make) => {
    const key = "gl" + name, fresh = !geo[key];
    if (fresh) geo[key] = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, geo[key]);
    if (fresh) gl.bufferData(gl.ARRAY_BUFFER, make(), geo.changes ? gl.DYNAMIC_DRAW : gl.STATIC_DRAW);
  };
  const drop = geo => { for (const key of ["glA", "glN", "glS"]) if (geo[key]) gl.deleteBuffer(geo[key]); };
  function drawSolid(L, {geo, M, colour}, flat, shade) {
    gl.uniformMatrix4fv(solid.uM, false, shade ? times(shade, M) : M);
    gl.uniform4f(solid.uC, ...(flat || [...colour, 1]));
    for (const [at, name, list] of [[solid.aP, "A", geo.a], [solid.aN, "N", geo.n]]) {
      bind(geo, name, () => list);
      gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, 3, gl.FLOAT, false, 0, 0);
    }
    gl.drawArrays(gl.TRIANGLES, 0, geo.a.length / 3);
  }
  function drawLines(L, list) {
    use(line);
    gl.uniformMatrix4fv(line.uVP, false, L.VP); gl.uniform2f(line.uSize, S.cam.W, S.cam.H);
    for (const {geo, M, colour, width, bias = 0.00012, alpha = 1, count = geo.p.length / 6} of list) if (count > 0) {
      bind(geo, "S", () => {
        const out = new Float32Array(geo.p.length * 7);
        for (let i = 0, o = 0; i < geo.p.length; i += 6)
          for (const [end, side] of [[0, 1], [0, -1], [1, -1], [1, -1], [1, 1], [0, 1]]) {
            for (const k of [end, 1 - end]) for (let c = 0; c < 3; c++) out[o++] = geo.p[i + 3 * k + c];
            out[o++] = end ? -side : side;
          }
        return out;
      });
      gl.uniformMatrix4fv(line.uM, false, M); gl.uniform4f(line.uC, ...colour, alpha);
      gl.uniform1f(line.uWidth, width); gl.uniform1f(line.uBias, S.cam.depth ? bias : 8 * bias);
      [[line.aP, 3, 0], [line.aQ, 3, 12], [line.aS, 1, 24]].forEach(([at, n, from]) => {
        gl.enableVertexAttribArray(at); gl.vertexAttribPointer(at, n, gl.FLOAT, false, 28, from);
      });
      gl.drawArrays(gl.TRIANGLES, 0, 6 * count);
    }
  }
  return {
    name: "webgl",
    lost: () => gl.isContextLost(),
    draw(L, list) {
      gl.viewport(0, 0, canvas.width, canvas.height);
      gl.clearColor(0, 0, 0, 0); gl.clearStencil(0); gl.depthMask(true);
      gl.clear(gl.COLOR_BUFFER_BIT | gl.DEPTH_BUFFER_BIT | gl.STENCIL_BUFFER_BIT);
      gl.enable(gl.DEPTH_TEST); gl.depthFunc(gl.LEQUAL); gl.enable(gl.BLEND); gl.blendFunc(gl.ONE, gl.ONE_MINUS_SRC_ALPHA);
      const set = flat => {
        use(solid);
        gl.uniformMatrix4fv(solid.uV, false, L.V); gl.uniformMatrix4fv(solid.uP, false, L.P);
        gl.uniform3f(solid.uUp, ...L.up); gl.uniform3f(solid.uL, ...LIGHT); gl.uniform3f(solid.uF, ...FILL);
        gl.uniform1f(solid.uDepth, S.cam.depth ? 1 : 0); gl.uniform1f(solid.uFlat, flat);
      };
      gl.depthMask(false);
      if (list.shadow && gl.getParameter(gl.STENCIL_BITS)) {  // each spot of the floor darkens once
        gl.enable(gl.STENCIL_TEST); gl.stencilFunc(gl.EQUAL, 0, 255); gl.stencilOp(gl.KEEP, gl.KEEP, gl.INCR);
        set(1);
        for (const item of list.solids) if (item.casts) drawSolid(L, item, [0, 0, 0, S.C.night ? 0.34 : 0.11], list.shadow);
        gl.disable(gl.STENCIL_TEST);
      }
      drawLines(L, list.floor);
      gl.depthMask(true);
      set(0);
      for (const item of list.solids) drawSolid(L, item);
      for (const seen of [false, true]) {  // depth first, so that no spot gets a colour twice
        gl.colorMask(seen, seen, seen, seen);
        for (const item of list.faint) drawSolid(L, item, [...item.colour, FAINT]);
      }
      drawLines(L, list.lines);
      gl.depthMask(false); gl.depthFunc(gl.GREATER);  // what bodies hide of the arrows shows through faintly
      set(1);
      for (const item of list.solids) if (item.through) drawSolid(L, item, [...item.colour.map(v => 0.3 * v), 0.3]);
      gl.disable(gl.DEPTH_TEST); drawLines(L, list.over);
      for (const {geo} of [...list.solids, ...list.faint, ...list.lines, ...list.over]) if (geo.changes) { drop(geo); geo.glA = geo.glN = geo.glS = null; }
    },
    forget(geo) { drop(geo); },
  };
}
