"""Normal laws and friction of contacts as checked numbers: what every contact type shares."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Literal

from pytrammel._util import traced_numbers
from pytrammel._util.checks import checked_number
from pytrammel._util.messages import unlike
from pytrammel.errors import ModelError
from pytrammel.forces.force import check_not_negative, friction_pair
from pytrammel.joints.constraint import check_positive

if TYPE_CHECKING:
    from pytrammel.model.argument_types import Scalar, Scalars

NormalLaw = Literal[
    "linear", "hertz", "hunt_crossley", "lankarani_nikravesh", "classic_hunt_crossley", "classic_lankarani_nikravesh", "rigid"
]  # fmt: skip
LAWS = ("linear", "hertz", "hunt_crossley", "lankarani_nikravesh", "classic_hunt_crossley", "classic_lankarani_nikravesh")  # fmt: skip
LINEAR, ELASTIC, RATE, IMPACT = 0.0, 1.0, 2.0, 3.0  # codes of the kernel's normal laws
STIFFNESS, EXPONENT = 1, 2  # places of k and p among the constants
IMPACT_SLOT = 4  # place of the speed at first touch among the constants
LEAST_RESTITUTION = 1e-3  # below it the damping that would be needed grows without limit
STIFF_END = 700.0  # exp(-700) is the last that is not zero: 1 - e d below it counts as zero


def exact_damping(restitution: float) -> float:
    """The d for which k δ^p (1 + d δ'/δ'0) leaves with `restitution` times the speed δ'0 of first touch, whatever k, p and masses.

    The energy integral ∫ v dv / (1 + d v) is the same on the way in and out: (1 + e) d = ln((1 + d) / (1 - e d)). With 1 - e d = exp(-L)
    the unknown L keeps its digits where e d is 1 to rounding.
    """
    e = restitution
    if e >= 1.0:
        return 0.0
    if e > 0.999:  # there the two sides agree in so many digits that the series in 1 - e is better
        return 1.5 * (1.0 - e) * (2.0 - e)
    return traced_numbers.found(_solved_damping, e)


def _solved_damping(e: float) -> float:
    def left(exponent: float) -> float:
        d = -math.expm1(-exponent) / e
        return (1.0 + e) * d - math.log1p(d) - exponent

    low, high = 1e-6, STIFF_END / LEAST_RESTITUTION  # positive just above the trivial root 0, negative far out
    for _ in range(200):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if left(middle) > 0.0 else (low, middle)
    return -math.expm1(-0.5 * (low + high)) / e


def _damping_for(name: str, law: str, restitution: Scalar | None) -> float:
    """The number d in k δ^p (1 + d δ'/δ'0) of a law with restitution."""
    if restitution is None:
        raise ModelError(f"contact {name!r}: the law {law!r} needs restitution= (between 0 and 1).")
    e = checked_number(restitution, f"restitution of contact {name!r}")
    if not 0.0 <= e <= 1.0:
        raise ModelError(f"restitution of contact {name!r} is {unlike(e, 0.0, 1.0)[0]}; it must be between 0 and 1.")
    if law == "classic_hunt_crossley":
        return 1.5 * (1.0 - e)
    if law == "classic_lankarani_nikravesh":
        return 0.75 * (1.0 - e * e)
    if e < LEAST_RESTITUTION:
        texts = unlike(e, LEAST_RESTITUTION, digits=6)
        raise ModelError(
            f"restitution of contact {name!r} is {texts[0]}; the law {law!r} gets there only with damping that grows without limit. Give "
            f"{texts[1]} at least."
        )
    return exact_damping(e)


def knows_impact(law: str, damping: Scalar | None) -> bool:
    """True if the law needs the speed at first touch."""
    return law not in ("linear", "hertz") and not (law == "hunt_crossley" and damping is not None)


def _normal_law(
    name: str, law: str, damping: Scalar | None, restitution: Scalar | None
) -> tuple[float, float]:  # code and damping of the kernel
    if law not in LAWS:
        raise ModelError(f"contact {name!r}: law {law!r} is not known; use one of: {', '.join(LAWS)}, rigid.")
    if law in ("linear", "hertz") and restitution is not None:
        raise ModelError(
            f"contact {name!r}: restitution= does not belong to the law {law!r}; give damping= or another law."
        )
    c = check_not_negative(
        checked_number(0.0 if damping is None else damping, f"damping of contact {name!r}"),
        f"damping of contact {name!r}",
    )
    if law == "hertz" and c > 0.0:
        raise ModelError(f"contact {name!r}: the law {law!r} has no damping; use 'hunt_crossley'.")
    if law == "hunt_crossley" and restitution is not None and damping is not None:
        raise ModelError(f"contact {name!r}: give either restitution= or damping=, not both.")
    if knows_impact(law, damping):
        if damping is not None:
            raise ModelError(f"contact {name!r}: the law {law!r} takes restitution=, not damping=.")
        return IMPACT, _damping_for(name, law, restitution)
    return {"linear": LINEAR, "hertz": ELASTIC}.get(law, RATE), c


def contact_constants(
    name: str, law: str, stiffness: Scalar | None, damping: Scalar | None, exponent: Scalar | None, restitution: Scalar | None,
    friction: Scalar | Scalars, stick_speed: Scalar, viscous: Scalar, slip_slope: Scalar,
) -> tuple[float, ...]:  # fmt: skip
    """The constants all contacts share, checked; order as in the kernel."""
    code, c = _normal_law(name, law, damping, restitution)
    if stiffness is None:
        raise ModelError(f"contact {name!r}: the law {law!r} needs stiffness= [N/m^exponent].")
    k = check_positive(checked_number(stiffness, f"stiffness of contact {name!r}"), f"stiffness of contact {name!r}")
    given = exponent if exponent is not None else (1.0 if law == "linear" else 1.5)
    power = check_positive(checked_number(given, f"exponent of contact {name!r}"), f"exponent of contact {name!r}")
    mu_s, mu_d = friction_pair(friction, f"friction of contact {name!r}")
    v_stick = check_positive(
        checked_number(stick_speed, f"stick_speed of contact {name!r}"), f"stick_speed of contact {name!r}"
    )
    lubricant, slope = (
        check_not_negative(checked_number(value, f"{what} of contact {name!r}"), f"{what} of contact {name!r}")
        for value, what in ((viscous, "viscous"), (slip_slope, "slip_slope"))
    )
    return (code, k, power, c, 1.0, mu_s, mu_d, v_stick, lubricant, slope)
