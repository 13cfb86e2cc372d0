// Drivers moved by hand: positions that were computed beforehand over the values of one or two drivers, joined smoothly between.
import {unpack} from "./series.mjs";

// value at place p (0 to n - 1) of a series get(0) ... get(n - 1): a cubic with central slopes, or with chords beside what is missing
export function smoothAt(get, n, p) {
  const i = Math.min(Math.max(Math.floor(p), 0), n - 2), s = p - i, a = get(i), b = get(i + 1), d = b - a;
  const central = k => 0.5 * (get(k + 1) - get(k - 1));
  const slope = k => {
    const v = n < 3 ? d : k === 0 ? 2 * (get(1) - get(0)) - central(1) : k === n - 1 ? 2 * (get(n - 1) - get(n - 2)) - central(n - 2) : central(k);
    return Number.isFinite(v) ? v : d;
  };
  const u = slope(i), v = slope(i + 1);
  return a + s * (u + s * (3 * d - 2 * u - v + s * (u + v - 2 * d)));
}
export function readCharts(C) {
  return C.list.map(chart => {
    const shape = chart.axes.map(axis => axis[2]), columns = chart.bodies.map(body => body && body.map(() => null));
    const column = (b, c) => columns[b][c] || (columns[b][c] = unpack(chart.bodies[b][c]));
    const placeOf = values => chart.axes.map(([low, high, n], k) => (n - 1) * (values[chart.drivers[k]] - low) / (high - low));
    const cell = p => p.map((v, k) => Math.min(Math.max(Math.floor(v), 0), shape[k] - 2));
    const inside = p => { const c = cell(p); return chart.good[c.length === 2 ? c[0] * (shape[1] - 1) + c[1] : c[0]] === "1"; };
    const value = (v, p) => p.length === 1 ? smoothAt(k => v[k], shape[0], p[0])
      : smoothAt(i => smoothAt(j => v[i * shape[1] + j], shape[1], p[1]), shape[0], p[0]);
    return {...chart, good: chart.good,
      can: values => inside(placeOf(values)),
      pose: (b, values) => { const p = placeOf(values); return chart.bodies[b] && chart.bodies[b].map((_, c) => value(column(b, c), p)); }};
  });
}
// the chart on which driver k can be moved: the one over all drivers, or the line that begins nearest to the time t
export function chartFor(charts, k, t) {
  const own = charts.filter(chart => chart.drivers.includes(k));
  return own.reduce((best, chart) => best && Math.abs(best.time - t) <= Math.abs(chart.time - t) ? best : chart, null);
}
