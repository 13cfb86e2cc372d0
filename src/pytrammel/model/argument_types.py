"""Types of arguments of models, bodies, joints and forces.

A number may be a number in SI units, a text with a unit (``"40 mm"``), or a formula of parameters. Type checkers read the unions below.
At run time an alias stands for what builders receive after texts and parameters have been evaluated; its unit is the default dimension.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeAlias, TypeVar

from pytrammel.expressions.expression import Expression
from pytrammel.expressions.tables import Table

T = TypeVar("T", covariant=True)
Law = float | str | Expression | Table


class Alias(NamedTuple):
    """An alias as builders see it.

    Attributes:
        plain: Annotation of the evaluated argument.
        unit: Unit of its numbers; empty where the documentation of the argument states it.
    """

    plain: str
    unit: str = ""


ALIASES = {
    "Scalar": Alias("float"), "Length": Alias("float", "m"), "Angle": Alias("float", "rad"), "Mass": Alias("float", "kg"),
    "Speed": Alias("float", "m/s"), "Pressure": Alias("float", "Pa"), "Value": Alias("object"), "Scalars": Alias("Sequence[float]"),
    "Laws": Alias("Sequence[Law]"), "Outline": Alias("Sequence[Sequence[Any]]"), "Points": Alias("Sequence[Sequence[float]]"),
    "VectorLike": Alias("object"), "MatrixLike": Alias("object"), "Components": Alias("object"), "Position": Alias("object"),
    "Direction": Alias("object"), "Axle": Alias("object"),
}  # fmt: skip

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from pytrammel.joints.constraint import Constraint
    from pytrammel.model.bodies import Body, Point
    from pytrammel.model.spatial_bodies import Marker, SpatialBody

    class Listed(Protocol[T]):
        """A list, tuple or other sequence, but not a text: its items may be of any type when it is searched."""

        def __contains__(self, value: object, /) -> bool: ...
        def __iter__(self) -> Iterator[T]: ...
        def __len__(self) -> int: ...
        def __getitem__(self, index: int, /) -> T: ...

    Array: TypeAlias = NDArray[np.floating[Any]] | NDArray[np.integer[Any]]
    Scalar: TypeAlias = float | str | Expression | np.floating[Any] | np.integer[Any]
    Length: TypeAlias = Scalar
    Angle: TypeAlias = Scalar
    Mass: TypeAlias = Scalar
    Speed: TypeAlias = Scalar
    Pressure: TypeAlias = Scalar
    Value: TypeAlias = Scalar  # checked by the function itself
    Scalars: TypeAlias = Listed[Scalar] | Array
    Laws: TypeAlias = Listed[Law] | Array
    Outline: TypeAlias = Listed[Listed[Any]] | Array
    Points: TypeAlias = Listed[Listed[float]] | Array
    VectorLike: TypeAlias = Listed[Scalar] | Array
    MatrixLike: TypeAlias = Listed[Listed[Scalar]] | Listed[Scalar] | Array
    Components: TypeAlias = Listed[Scalar | None] | Array  # components of a velocity; None is free
    Place: TypeAlias = str | Body | SpatialBody | Point | Marker
    Position: TypeAlias = str | VectorLike | Point | Marker
    Direction: TypeAlias = str | VectorLike | Listed[VectorLike | Point | Marker] | Marker
    Axle: TypeAlias = str | Constraint
else:
    Scalar = Length = Angle = Mass = Speed = Pressure = float
    Scalars = Sequence[float]
    Laws = Sequence[Any]
    Points = Sequence[Sequence[float]]
    Outline = Sequence[Sequence[Any]]
    Value = VectorLike = MatrixLike = Components = Position = Direction = Axle = object
    Place = Any
