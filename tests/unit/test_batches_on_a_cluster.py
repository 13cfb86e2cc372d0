"""Batches on a Dask cluster of processes: the same numbers, also when a worker is killed."""

import os
import signal
import threading
import time

import numpy as np
import pytest
from test_batches import four_bar

distributed = pytest.importorskip("distributed", reason="an extra: pip install 'pytrammel[cluster]'")


@pytest.mark.filterwarnings("ignore")  # of Dask about sockets and temporary folders
def test_a_batch_survives_a_killed_worker(monkeypatch):
    from pytrammel.analysis.batches import runner

    monkeypatch.setattr(runner, "MOST_PER_CHUNK", 4)
    b = four_bar().batch({"crank": np.linspace(0.08, 0.12, 48)})
    here = b.kinematics(1.0, samples=13, keep=["P.x"])
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        victim = next(iter(client.run(os.getpid).values()))

        def kill() -> None:
            time.sleep(0.5)
            os.kill(victim, getattr(signal, "SIGKILL", signal.SIGTERM))

        killer = threading.Thread(target=kill)
        killer.start()
        there = b.kinematics(1.0, samples=13, keep=["P.x"], executor=client)
        killer.join()
        again = b.kinematics(1.0, samples=13, keep=["P.x"], executor=client)
    assert not there.failures
    assert np.array_equal(here.values("P.x"), there.values("P.x"))
    assert np.array_equal(here.values("P.x"), again.values("P.x"))
