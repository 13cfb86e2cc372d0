// The 2-D renderer: parts in their styles, arrows and text on a canvas. It knows nothing of mechanisms.
import {css, mix, rgb} from "./colours.mjs";

export function compile(parts) {  // parts as Python writes them, ready to be painted many times
  return parts.map(part => {
    const path = new Path2D();
    if (part.circle) path.arc(part.circle[0], part.circle[1], part.circle[2], 0, 2 * Math.PI);
    else for (const p of part.paths) {
      path.moveTo(p[0], p[1]);
      for (let i = 2; i < p.length; i += 2) path.lineTo(p[i], p[i + 1]);
      if (p.length === 2) path.lineTo(p[0], p[1]);
      if (part.closed) path.closePath();
    }
    return {style: part.style, closed: !!part.closed || !!part.circle, path, w: part.w || 1, role: part.role};
  });
}
export function bodyLook(C, colour) {
  const line = C.night ? mix(colour, [1, 1, 1], 0.22) : colour;
  return {line: css(line), tint: css(mix(C.paper, colour, C.night ? 0.38 : 0.24))};
}
// one compiled part; scale: pixels per unit of the path; unit: width of a pin's radius in units of the path
export function paint(pen, part, look, C, scale, unit, wide) {
  const {style, path, closed, w} = part, own = C.symbol(part.role), ink = own || C.inkText, steel = own ? bodyLook(C, rgb(own)).tint : C.steelText;
  pen.lineJoin = pen.lineCap = "round";
  const stroke = (colour, width) => { pen.strokeStyle = colour; pen.lineWidth = width; pen.stroke(path); };
  const fill = colour => { pen.fillStyle = colour; pen.fill(path); };
  const px = C.width / scale;
  switch (style) {
    case "bar": case "groove": {
      const half = style === "bar" ? w * wide.bar : wide.groove, rim = style === "bar" ? look.line : C.inkText, core = style === "bar" ? look.tint : C.paperText;
      stroke(rim, 2 * half * unit); if (closed && style === "bar") fill(rim);
      stroke(core, 2 * half * unit - Math.max(0.5 * unit, 2.6 * px)); if (closed && style === "bar") fill(core);
      break;
    }
    case "face": fill(look.tint); stroke(look.line, 1.8 * px); break;
    case "edge": stroke(look.line, 2 * px); break;
    case "fine": stroke(look.line, px); break;
    case "ink": fill(ink); break;
    case "paper": fill(C.paperText); stroke(ink, 1.6 * px); break;
    case "steel": fill(steel); stroke(ink, 1.2 * px); break;
    case "line": stroke(ink, 1.7 * px); break;
    case "accent": if (closed) fill(C.accentText); stroke(C.accentText, 2.4 * px); break;
    case "hatch": stroke(own || C.softText, px); break;
  }
}
export function skeleton(pen, part, colour, scale) {  // a ghost: thin outlines hide nothing
  if (part.style === "fine" || part.style === "hatch") return;
  pen.strokeStyle = colour; pen.lineWidth = 1.2 / scale; pen.stroke(part.path);
}
export function arrow(pen, x, y, dx, dy, colour, width = 2.4) {  // pixels
  const length = Math.hypot(dx, dy);
  if (length < 1.5) return;
  const head = Math.min(11, 0.45 * length + 2), ex = dx / length, ey = dy / length, tx = x + dx, ty = y + dy;
  pen.strokeStyle = pen.fillStyle = colour; pen.lineWidth = width; pen.lineCap = "butt";
  pen.beginPath(); pen.moveTo(x, y); pen.lineTo(tx - 0.8 * head * ex, ty - 0.8 * head * ey); pen.stroke();
  pen.beginPath(); pen.moveTo(tx, ty);
  pen.lineTo(tx - head * ex - 0.42 * head * ey, ty - head * ey + 0.42 * head * ex);
  pen.lineTo(tx - head * ex + 0.42 * head * ey, ty - head * ey - 0.42 * head * ex); pen.closePath(); pen.fill();
}
export function turnArrow(pen, x, y, radius, way, colour) {  // a moment: an arc with a head; way +1 counter-clockwise as seen
  const start = -0.3, end = start - way * 4.4;
  pen.strokeStyle = pen.fillStyle = colour; pen.lineWidth = 2.4; pen.lineCap = "butt";
  pen.beginPath(); pen.arc(x, y, radius, start, end, way > 0); pen.stroke();
  const tx = x + radius * Math.cos(end), ty = y + radius * Math.sin(end), along = end - way * Math.PI / 2, head = Math.min(10, 0.6 * radius + 3);
  pen.beginPath(); pen.moveTo(tx + 0.6 * head * Math.cos(along), ty + 0.6 * head * Math.sin(along));
  for (const k of [1, -1]) pen.lineTo(tx + 0.5 * head * (k * Math.cos(end) - Math.cos(along)), ty + 0.5 * head * (k * Math.sin(end) - Math.sin(along)));
  pen.closePath(); pen.fill();
}
export function write(pen, C, text, x, y, colour, font, align = "center") {  // with a halo of paper
  pen.font = font; pen.textAlign = align; pen.textBaseline = "middle"; pen.lineJoin = "round";
  pen.strokeStyle = C.paperText; pen.lineWidth = 3.5; pen.strokeText(text, x, y);
  pen.fillStyle = colour; pen.fillText(text, x, y);
}
