"""Runs whose model is changed on the way: every number belongs to the model in force, as in two runs one after the other."""

from __future__ import annotations

import numpy as np
import pytest

import pytrammel as tm

TIGHT = {"rtol": 1e-10, "atol": 1e-12}


def swinging(rng):
    """A double pendulum with a spring, a damper, a push and a point, all with random numbers."""
    m = tm.PlanarModel("swinging")
    m.body("a", position=(0.4, 0.0), mass=rng.uniform(1, 3), inertia=rng.uniform(0.1, 0.3), centroid=(0.05, 0.02))
    m.body("b", position=(1.0, 0.2), mass=rng.uniform(1, 3), inertia=rng.uniform(0.1, 0.3))
    m.revolute("A", "ground", "a", at=(0, 0))
    m.revolute("B", "a", "b", at=(0.8, 0.0))
    m.point("tip", "b", local=(0.3, 0.1))
    m.spring(
        "s", m.ground.at(1.5, 0.5), m["b"].at(0.2, 0.0), stiffness=rng.uniform(20, 60), free_length=0.4, damping=0.7
    )
    m.force("push", m["a"].at(0.3, 0.0), ("2*sin(3*t)", 1.0))
    return m


def random_change(m, rng):
    """Some of: masses, inertias, centres of mass, stiffness, free length, damping, attachments, loads, points of interest."""
    every = [
        {"a": {"mass": rng.uniform(1, 6)}},
        {"a": {"inertia": rng.uniform(0.2, 0.9), "centroid": (rng.uniform(-0.1, 0.1), 0.03)}},
        {"b": {"mass": rng.uniform(0.5, 4), "centroid": (0.0, rng.uniform(-0.1, 0.1))}},
        {"s": {"stiffness": rng.uniform(10, 90), "free_length": rng.uniform(0.1, 0.8), "damping": rng.uniform(0, 2)}},
        {"s": {"first": m.ground.at(rng.uniform(1, 2), 0.4), "second": m["b"].at(rng.uniform(-0.2, 0.2), 0.1)}},
        {"push": {"vector": ("2*sin(3*t)", rng.uniform(-5, 5))}},
        {"tip": {"local": (rng.uniform(-0.3, 0.3), 0.2)}},
    ]
    chosen = [every[k] for k in rng.permutation(len(every))[: rng.integers(1, 5)]]
    out: dict = {}
    for change in chosen:
        for name, values in change.items():
            out.setdefault(name, {}).update(values)
    return out


def moved_to(m, run):
    """The model drawn in the last position of a run, with its velocities."""
    places = {
        name: {
            "position": tuple(run[name].position[-1]), "angle": float(run[name].phi[-1]),
            "velocity": tuple(run[name].velocity[-1]), "omega": float(run[name].omega[-1]),
        }
        for name in ("a", "b")
    }  # fmt: skip
    return m.copy(changes=places)


@pytest.mark.parametrize("seed", range(6))
def test_a_changed_run_is_two_runs_one_after_the_other(seed):
    rng = np.random.default_rng(seed)
    m = swinging(rng)
    change, t1 = random_change(m, rng), 0.3 + 0.2 * rng.random()
    r = m.simulate(1.0, samples=41, events=[tm.Event("change", f"t - {t1!r}", change=change)], **TIGHT)
    first = m.simulate(times=np.append(r.times[r.times < t1], t1), **TIGHT)
    second = moved_to(m.copy(changes=change), first).simulate(times=np.append(t1, r.times[r.times > t1]), **TIGHT)

    def glued(read):
        return np.concatenate([np.asarray(read(first))[:-1], np.asarray(read(second))[1:]])

    for read in (
        lambda x: x.q,
        lambda x: x["tip"].velocity,
        lambda x: x["s"].length,
        lambda x: x["s.length.rate"],
        lambda x: x.energy.kinetic,
        lambda x: x.energy.gravity,
        lambda x: x.energy.stored,
        lambda x: x.force("s.spring"),
        lambda x: x.reaction("B").force,
        lambda x: x.ground_reaction,
    ):
        # velocities of a few m/s and forces up to a hundred newtons, each run within 1e-10 per step
        np.testing.assert_allclose(read(r), glued(read), rtol=1e-6, atol=1e-6)
    assert np.abs(r.energy.balance).max() < 1e-7 * np.ptp(r.energy.kinetic)
    assert r.constraint_violation() < 1e-9
    assert len(r._pieces) == 2 and r.model is m


def test_a_mass_taken_on_board_is_booked_as_energy_put_in():
    """A body of 1 kg at 2 m/s becomes one of 3 kg at the same speed: 4 J more, momentum 2 then 6 kg m/s."""
    m = tm.SpatialModel("loading", gravity=(0, 0, 0))
    m.body("cart", velocity=(2.0, 0.0, 0.0), mass=1.0, inertia=0.1)
    load = tm.Event("load", "t - 0.5", change={"cart": {"mass": 3.0}})
    r = m.simulate(1.0, samples=11, events=[load])
    before = r.times < 0.5
    np.testing.assert_allclose(r.momentum[:, 0], np.where(before, 2.0, 6.0), rtol=1e-12)
    np.testing.assert_allclose(r["cart"].momentum[:, 0], np.where(before, 2.0, 6.0), rtol=1e-12)
    np.testing.assert_allclose(r.energy.input, np.where(before, 0.0, 4.0), atol=1e-12)
    np.testing.assert_allclose(r.energy.balance, 0.0, atol=1e-12)


def test_a_heavier_body_aloft_brings_its_height_along():
    """Two kilograms more at 3 m: 2 g 3 m of gravity energy are put in."""
    m = tm.PlanarModel("aloft")
    m.body("b", position=(0.0, 3.0), mass=1.0, inertia=0.1)
    m.weld("W", "ground", "b", at=(0, 0))
    r = m.simulate(1.0, samples=5, events=[tm.Event("load", "t - 0.4", change={"b": {"mass": 3.0}})])
    assert r.energy.input[-1] == pytest.approx(2.0 * 9.81 * 3.0, rel=1e-12)
    np.testing.assert_allclose(r.energy.balance, 0.0, atol=1e-12)


def test_a_drawing_shows_the_model_in_force():
    """The spring's end moves from (1, 0) to (1, 1) at t = 0.5."""
    m = tm.PlanarModel("moved", gravity=(0, 0))
    m.body("b", mass=1.0, inertia=1.0)
    m.spring("s", m.ground.at(1.0, 0.0), m["b"].at(0.0, 0.0), stiffness=1e-9)
    r = m.simulate(1.0, samples=5, events=[tm.Event("move", "t - 0.5", change={"s": {"first": m.ground.at(1.0, 1.0)}})])
    np.testing.assert_allclose(r["s"].length, np.where(r.times < 0.5, 1.0, np.sqrt(2.0)), atol=1e-6)
    ends = [
        {tuple(np.round(p, 6)) for part in r.draw(time=t).patches for p in part.get_path().vertices} for t in (0, 1)
    ]
    assert (1.0, 1.0) in ends[1] and (1.0, 1.0) not in ends[0]
