// Where the film is and how it goes on. No page in here.
import {clamp} from "./numbers.mjs";

export const SPEEDS = [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];
export const factorText = factor => +factor.toPrecision(3) + "×";  // a multiple of real time
export class Playback {
  constructor(clock, lasting) { this.clock = clock; this.lasting = lasting; this.pos = 0; this.playing = false; this.speed = 1; this.loop = true; }
  go(p) { this.pos = clamp(p, 0, this.clock.last()); }
  play(on) {
    this.playing = on && this.clock.span() > 0;
    if (this.playing && this.pos >= this.clock.last()) this.pos = 0;
    return this.playing;
  }
  step(by) { this.playing = false; this.go(by > 0 ? Math.floor(this.pos + 1e-9) + 1 : Math.ceil(this.pos - 1e-9) - 1); }
  pace() { return this.clock.span() / this.lasting() || 1; }  // seconds of the run per second on the screen at speed 1, where a pass takes lasting() seconds
  advance(milliseconds) {
    const {T, last, span, timeAt, posAt} = this.clock, end = T[last()];
    let t = timeAt(this.pos) + milliseconds / 1000 * this.speed * this.pace();
    if (t >= end) {
      if (!this.loop) { this.go(last()); this.playing = false; return; }
      t = T[0] + (t - end) % span();
    }
    this.go(posAt(t));
  }
}
// frame whose distance to what is dragged is least, near the present one first: the way does not jump to another branch
export function nearestFrame(distance, from, n, closed) {
  let best = Math.round(from), least = distance(best), gone = 0;
  for (const way of [1, -1]) for (let k = 1, i = Math.round(from), worse = 0; k < n && worse < 12; k++) {
    i = closed ? (i + way + n) % n : i + way;
    if (i < 0 || i >= n) break;
    const d = distance(i);
    if (d < least) { least = d; best = i; worse = 0; gone = k; } else if (k > gone) worse++;
  }
  return best;
}
