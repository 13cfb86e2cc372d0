"""ModelicaTest.MultiBody.Joints: compound joints between fixed frames, with the forces on them."""

from __future__ import annotations

from .joints import JointUPS, Prismatic, Revolute, RodAndGuide, RodsOnHinges, SphericalSpherical, Weld
from .network import Part
from .parts import FixedTranslation
from .reference import define

ROD1, ROD2 = (1, 0.3, 0), (-0.5, 0.2, 0)


def held(at: tuple[float, float, float]) -> dict[str, Part]:
    """Fixed frame whose cut force is compared."""
    return {"place": FixedTranslation(r=at), "Fixed1": Weld()}


define(
    "joints",
    "Joints.SphericalSpherical",
    held((1, 0.2, 0)) | {"sphericalSpherical": SphericalSpherical(m=1, length=1.04), "Prismatic1": Prismatic()},
    "world.b place.a sphericalSpherical.a; place.b Fixed1.a; sphericalSpherical.b Prismatic1.a; Prismatic1.b Fixed1.b",
)

define(
    "joints",
    "Joints.JointSSR",
    held((1.5, 0.1, 0))
    | {"jointSSR": RodAndGuide(Revolute(), rRod2_ib=ROD2, rod1Mass=1, rod1Length=1.09**0.5, universal=False)},
    "world.b place.a jointSSR.a; place.b Fixed1.a; jointSSR.b Fixed1.b",
)

for name, joint, place in (
    ("JointUSP", RodAndGuide(Prismatic((-1, 0, 0)), rRod1_ia=ROD1, rRod2_ib=ROD2), (1.7, 0.1, 0)),
    ("JointUPS", JointUPS(nAxis_ia=ROD1, s=1.7), (1.7, 0.1, 0)),
    ("JointUSR", RodAndGuide(Revolute(), rRod1_ia=ROD1, rRod2_ib=ROD2), (1.5, 0.1, 0)),
    ("JointRRR", RodsOnHinges(Revolute(), rRod1_ia=ROD1, rRod2_ib=ROD2), (1.5, 0.1, 0)),
    ("JointRRP", RodsOnHinges(Prismatic((-1, 0, 0)), rRod1_ia=ROD1, rRod2_ib=ROD2), (1.7, 0.1, 0)),
):
    key = name[0].lower() + name[1:]
    define(
        "joints",
        f"Joints.{name}",
        held(place) | {key: joint},
        f"world.b place.a {key}.a; place.b Fixed1.a; {key}.b Fixed1.b",
        run={"at_rest": True},
    )
