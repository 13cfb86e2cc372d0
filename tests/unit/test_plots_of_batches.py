"""Plots of reductions of batches over parameters."""

import numpy as np
import pytest

import pytrammel as tm

pytest.importorskip("matplotlib")

SPEEDS = np.array([20.0, 5.0, 10.0, 15.0])


def shaker():
    m = tm.PlanarModel("shaker", gravity=(0, 0))
    m.parameter("speed", 5.0)
    m.parameter("damping", 8.0)
    m.body("table", mass=2.0, inertia=1.0)
    m.prismatic("guide", m.ground, "table", at=(0, 0), axis=(1, 0))
    m.spring("mount", m.ground.at(-1, 0), m["table"].at(0, 0), stiffness=200.0, damping="damping", free_length=1.0)
    m.user_force("unbalance", "table.x", "0.01*speed^2*sin(speed*t)")
    return m


def run(parameters):
    reduce = {"amplitude": "range(table.x, from=5)/2", "peak": "max(abs(table.vx), from=5)"}
    return shaker().batch(parameters).simulate(8.0, samples=1601, reduce=reduce, progress=False)


def amplitude(speed, damping=8.0):
    return 0.01 * speed**2 / np.hypot(200 - 2 * speed**2, damping * speed)


def test_the_amplitude_of_a_shaker_over_its_speed(tmp_path):
    path = tmp_path / "amplitude.png"
    axes = run({"speed": SPEEDS}).plot("amplitude", x="speed", path=path)
    (line,) = axes.lines
    speeds = np.sort(SPEEDS)
    assert np.array_equal(line.get_xdata(), speeds)
    # samples 5 ms apart miss a peak by (20*0.0025)^2/2 at most; exp(-2*5) of the start is left
    assert line.get_ydata() == pytest.approx(amplitude(speeds), rel=2e-3)
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("speed", "amplitude")
    assert path.read_bytes().startswith(b"\x89PNG")


def test_each_combination_of_other_parameters_has_a_curve():
    axes = run(tm.grid(speed=[5.0, 10.0, 15.0], damping=[4.0, 8.0])).plot("amplitude", "peak", x="speed")
    assert len(axes) == 2
    for line, damping in zip(axes[0].lines, (4.0, 8.0), strict=True):
        assert line.get_label() == f"damping = {damping:g}"
        # a free part exp(-damping/4 * 5) of the start is left for the smaller damping: 0.7 %
        assert line.get_ydata() == pytest.approx(amplitude(line.get_xdata(), damping), rel=3e-2)


@pytest.mark.parametrize(("names", "options", "text"), [
    (("amplitud",), {}, "no reduction 'amplitud'; they are amplitude, peak"),
    (("amplitude",), {"x": "spee"}, "x is 'spee'; it must be one of"),
])  # fmt: skip
def test_wrong_names_are_reported(names, options, text):
    with pytest.raises(tm.ModelError, match=text):
        run({"speed": [5.0]}).plot(*names, **options)


def test_a_batch_without_reductions_or_with_too_many_curves_is_reported():
    bare = shaker().batch({"speed": [5.0, 6.0]}).simulate(0.1, samples=3, keep=["table.x"], progress=False)
    with pytest.raises(tm.ModelError, match=r"no reductions to plot.*reduce="):
        bare.plot()
    many = shaker().batch(tm.grid(speed=[5.0, 6.0], damping=np.linspace(1, 13, 13)))
    found = many.simulate(0.1, samples=3, reduce={"end": "table.x[end]"}, progress=False)
    with pytest.raises(tm.ModelError, match="13 combinations, a curve each; the limit is 12"):
        found.plot(x="speed")
    assert len(found.plot(x="damping").lines) == 2
