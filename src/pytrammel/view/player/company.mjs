// Players on one page that move in step: the one touched last leads, and the page passes its time on to the others.
export function keepStep(P) {
  let joined = false;
  const tell = what => { if (joined) parent.postMessage({trammel: what}, "*"); };
  addEventListener("message", event => {
    const asked = event.source === parent && parent !== window && event.data ? event.data.trammel : null;
    if (!asked) return;
    if (asked.join) joined = true;
    else if (Number.isFinite(asked.time)) {
      if (P.playback.playing) P.play(false);
      P.go(P.clock.posAt(asked.time));
    }
  });
  for (const kind of ["pointerdown", "keydown"]) addEventListener(kind, () => tell({lead: true}), true);
  return () => tell({time: P.time()});
}
