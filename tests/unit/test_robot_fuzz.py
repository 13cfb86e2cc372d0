"""Robot files that were damaged at random are read or refused with a sentence; nothing crashes, hangs or runs."""

from __future__ import annotations

import random
import re
import warnings
from pathlib import Path

import pytest

import pytrammel as tm
from robot_files import ARM, DELTA, FOUR_BARS, GRIPPER, LEG, MJCF_FOUR_BAR, STEWART, loaded, mjcf, saved

ODD = (
    "", "0", "-1", "nan", "inf", "1e400", "1 2", "0 0 0", "1 2 3 4 5 6 7", "world", "true", "x" * 500, "0x10", "1e-300", "💥", "-0.0",
    "../../etc/passwd", "base", "crank", "A", "free", "ball", "::", "1,2,3",
)  # fmt: skip
RICH = mjcf(
    '<body name="b" euler="1 2 3"><joint name="j" axis="0 1 0" range="-1 1"/><joint name="k" type="slide" ref="0.1"/><inertial pos="0 0 0" '
    'mass="1" diaginertia="1 1 1"/><geom type="capsule" fromto="0 0 0 0 0 1" size="0.1"/><site name="s"/><frame pos="1 0 0"><body name="c">'
    '<joint name="l" type="ball"/><geom type="box" size="1 1 1" class="d"/></body></frame></body>',
    '<compiler angle="radian" eulerseq="XYZ"/><option gravity="0 0 -1"/><default><geom density="10"/><default class="d"><geom mass="2"/>'
    '</default></default><asset><mesh name="m" vertex="0 0 0 1 0 0 0 1 0 0 0 1" face="0 2 1 0 1 3 1 2 3 2 0 3"/></asset>',
    '<tendon><fixed name="t"><joint joint="j" coef="2"/></fixed></tendon><equality><joint joint1="j" joint2="k" polycoef="0 1 0 0 0"/>'
    '<weld body1="b" body2="c"/><tendon tendon1="t"/></equality><actuator><position joint="j" kp="2"/><general tendon="t"/></actuator>',
)  # fmt: skip


def sources(folder: Path) -> dict[str, str]:
    texts = {
        "arm.urdf": ARM,
        "gripper.urdf": GRIPPER,
        "leg.xml": LEG,
        "bar.xml": MJCF_FOUR_BAR,
        "delta.xml": DELTA,
        "stewart.xml": STEWART,
    }
    texts |= {f"{key.replace(' ', '_')}.urdf": text for key, text in FOUR_BARS.items()} | {"rich.xml": RICH}
    for name in ("arm.urdf", "gripper.urdf"):
        path = saved(loaded(folder, texts[name]), folder / name.replace(".urdf", ".sdf"))
        texts[path.name] = path.read_text(encoding="utf-8")
    return texts


def damaged(text: str, dice: random.Random) -> str:
    for _ in range(dice.randint(1, 3)):
        kind = dice.choice((0, 0, 1, 1, 2, 2, 3, 4, 5))
        values = [m.span(1) for m in re.finditer(r'="([^"]*)"', text)] + [
            m.span(1) for m in re.finditer(r">([^<>\n]+)<", text)
        ]
        tags = [m.span() for m in re.finditer(r"<[^<>]*>", text)]
        if kind <= 2 and values:
            start, end = dice.choice(values)
            near = " ".join(f"{dice.uniform(-2, 2):.3g}" for _ in text[start:end].split())  # as many numbers, others
            text = text[:start] + (dice.choice(ODD) if kind == 2 else near) + text[end:]
        elif kind == 3 and tags:
            start, end = dice.choice(tags)
            text = (
                text[:start] + dice.choice(("", text[start:end] * 2, text[start:end].replace(" ", "_", 1))) + text[end:]
            )
        elif kind == 4:
            at = dice.randrange(len(text) or 1)
            text = text[:at] + text[at + dice.randint(1, 40) :]
        elif values:
            (a, b), (c, d) = sorted(dice.choice(values) for _ in range(2))
            if b <= c:
                text = text[:a] + text[c:d] + text[b:c] + text[a:b] + text[d:]
    return text


@pytest.mark.parametrize("seed", range(4))
def test_damaged_files_are_read_or_refused(tmp_path: Path, seed: int) -> None:
    texts = sources(tmp_path)
    dice = random.Random(seed)
    read = 0
    for _ in range(120):
        name = dice.choice(sorted(texts))
        path = tmp_path / f"damaged{Path(name).suffix}"
        path.write_text(damaged(texts[name], dice), encoding="utf-8", errors="replace")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", tm.ModelWarning)
            try:
                robot = tm.read_robot(path)
            except tm.FileFormatError as error:
                assert path.name in str(error)
                assert re.search(r"line \d+", str(error))
                continue
            read += 1
            try:
                robot.model()
                tm.save_robot(robot, tmp_path / f"again{dice.choice(('.urdf', '.sdf', '.xml'))}")
            except tm.TrammelError as error:
                assert str(error)
    assert read > 10
