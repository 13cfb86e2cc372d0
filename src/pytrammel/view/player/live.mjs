// A live view: frames arrive from the running simulation.
const MOST = 6000;
export function thin(list) { let k = 0; for (let i = 0; i < list.length; i += 2) list[k++] = list[i]; list.length = k; }
export function listen(P, stage) {
  const {$, clock} = P, T = clock.T, source = new EventSource("frames");
  let failed = 0, seen = 0;
  function receive(frame) {
    if (T.length >= MOST) { stage.thin(thin); thin(T); P.playback.pos /= 2; }  // a long run: keep every second frame
    T.push(frame.t);
    stage.receive(frame);
    if (T.length === 1 || T.length > 1.4 * seen) { seen = T.length; stage.survey(); P.refit(); }
    if (P.follow) P.playback.pos = clock.last();
    P.show();
  }
  function end(text) {
    source.close(); P.ended = true; P.following(false); stage.survey(); P.refit();
    P.say(`${text} ${T.length} frames received${T.length > 1 ? "; press play to see them again" : ""}.`);
    P.show();
  }
  P.say("Waiting for the simulation …");
  source.onmessage = event => { failed = 0; receive(JSON.parse(event.data)); P.say("Live", true); };
  source.addEventListener("end", () => end("The run has ended."));
  source.onerror = () => {
    if (P.ended) return;
    if (++failed > 3 || source.readyState === EventSource.CLOSED) end("The connection to the run was lost.");
    else P.say("Connection lost; trying again …");
  };
}
