"""Robots: URDF, SDF and MJCF in and out, loops included.

m = tm.load_robot("leg.urdf")
print(m.conversion_report)
tm.save_robot(m, "leg.xml")
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from pathlib import Path

from pytrammel._util.atomic_write import write_whole
from pytrammel._util.checks import checked
from pytrammel._util.messages import RAW, short
from pytrammel.errors import FileFormatError, ModelError, ModelWarning, TrammelError
from pytrammel.io.robots.checks import settle_doubts
from pytrammel.io.robots.conversion_report import ConversionReport
from pytrammel.io.robots.geometry.meshes import MeshFolder
from pytrammel.io.robots.geometry.meshes import package_dirs as as_package_dirs
from pytrammel.io.robots.loops_file import ENDINGS, add_loops, check_loops
from pytrammel.io.robots.registry import Format, robot_formats
from pytrammel.io.robots.robot import Robot
from pytrammel.io.robots.xml_output import LoopsText, Sink
from pytrammel.io.robots.xml_tree import parse, raise_all
from pytrammel.model.argument_types import Law
from pytrammel.model.spatial import SpatialModel


@checked("path", "mesh_masses")
def read_robot(
    path: str | Path, *, loops: object = None, package_dirs: object = None, meshes: bool = True, repair: bool = False,
    mesh_masses: str = "file",
) -> Robot:  # fmt: skip
    """Read a robot file as data: links, joints, loops, actuators.

    Args:
        path: A URDF, SDF or MJCF file; the tag that it begins with says which.
        loops: YAML file with pairs of frames that close loops, motors and joint types, as in example-parallel-robots. Defaults to the file
            next to a URDF file that has its name, or is called ``robot.yaml``; False reads none.
        package_dirs: Folders beside the file's own that meshes and included files may be read from; ``package://name/…`` is looked for in
            them as ``name/…``.
        meshes: Read meshes of shapes.
        repair: Replace inertias that no body can have by the nearest one that can exist, and take the hull where a mass is to come
            from a mesh with holes, and tell it. Otherwise both raise an error, except inertias that do not matter: of links on the
            ground, and of links fixed to others where the sum is one that a body can have.
        mesh_masses: Rule by which meshes are weighed: "file" (in MJCF the rule that the file names, otherwise that of MuJoCo 4.0.0, which
            counts parts of meshes that are not convex twice) or "exact" (the true volume).

    Returns:
        The robot; ``robot.conversion_report`` tells what was not taken over as it stands.
    """
    if not isinstance(path, str | Path):
        raise FileFormatError(f"the path of a robot file must be a text, but it is {short(path)}.")
    if not isinstance(mesh_masses, str) or mesh_masses not in ("file", "exact"):
        raise ModelError(f"mesh_masses is {short(mesh_masses)}; it must be 'file' or 'exact'.")
    check_loops(loops)
    file = Path(path)
    report, complaints = ConversionReport(), []  # type: tuple[ConversionReport, list[str]]
    document = parse(file, report, complaints)
    document.repair, document.exact_meshes = repair, mesh_masses == "exact"
    found = [one for one in robot_formats().values() if one.tag == document.root.tag]
    if not found:
        known = ", ".join(f"<{one.tag}> ({one.name})" for one in robot_formats().values())
        raise FileFormatError(
            f"{file.name}, line {document.root.line}: it begins with <{document.root.tag[:80]}>; a robot file begins with one of: {known}."
        )
    robot = Robot(conversion_report=report, path=file)
    try:
        found[0].read(document, MeshFolder(file.resolve().parent, as_package_dirs(package_dirs), meshes), robot)
        if not complaints:
            add_loops(robot, loops, automatic=found[0].name == "URDF")
        settle_doubts(document, robot)
    except FileFormatError:
        raise
    except (TrammelError, *RAW) as error:
        raise_all(complaints)
        where = (document.last or document.root).where
        raise FileFormatError(
            f"{where}: it cannot be read ({str(error).rstrip('.') or type(error).__name__})."
        ) from error
    raise_all(complaints)
    report.notes.sort(key=lambda note: (note.file != file.name, note.line))
    return robot


@checked("path", "mesh_masses")
def load_robot(
    path: str | Path,
    *,
    loops: object = None,
    package_dirs: object = None,
    meshes: bool = True,
    repair: bool = False,
    mesh_masses: str = "file",
    floating_base: bool = False,
    pose: Mapping[str, object] | str | None = None,
    stops: float | None = None,
    friction: bool = True,
    controls: Mapping[str, Law] | None = None,
    motions: Mapping[str, Law] | None = None,
    merge_fixed: bool = True,
    close_loops: bool | None = None,
    closure_tolerance: float = 0.0,
) -> SpatialModel:
    """A model from a robot file: URDF, SDF or MJCF, loops included.

    ``model.conversion_report`` lists by line what was ignored, approximated, renamed or merged; a warning names what of it can change
    the motion.

    Args:
        path, loops, package_dirs, meshes, repair, mesh_masses: As for `read_robot`.
        floating_base: Let a URDF robot fly that otherwise stands on the ground; a root link called ``world`` flies with all that is fixed
            to it. In SDF and MJCF the file says what floats, and nothing else can be let go.
        pose: Draw it elsewhere: values by joint [rad, m].
        stops: Stiffness of end stops at the ends of ranges [N m/rad, N/m]; without it ranges are not enforced.
        friction: Take over dry friction.
        controls: Formulas or numbers that drive actuators, by name.
        motions: Motions of joints with one coordinate, by name: formulas of t, tables or numbers [rad, m]. Each becomes the driver
            ``NAME_drive``. Motors are listed in ``model.motors``.
        merge_fixed: Make links that are fixed to others part of them; False keeps them as bodies of their own.
        close_loops: Move joints until the loops close: motors and joints of `pose` keep their values if possible. Defaults to True for
            loops from a YAML file and for loops that weld frames. The conversion report states which joints moved and which loops cannot
            close.
        closure_tolerance: Gap that redundant rows of closed loops may keep [m]; see `SpatialModel`.
    """
    robot = read_robot(
        path, loops=loops, package_dirs=package_dirs, meshes=meshes, repair=repair, mesh_masses=mesh_masses
    )
    model = robot.model(
        floating_base=floating_base, pose=pose, stops=stops, friction=friction, controls=controls, motions=motions, merge_fixed=merge_fixed,
        close_loops=close_loops, closure_tolerance=closure_tolerance,
    )  # fmt: skip
    report: ConversionReport = model.conversion_report
    if report.serious:
        warnings.warn(report.sentence(Path(path).name), ModelWarning, stacklevel=3)
    return model


@checked
def save_robot(robot: Robot | SpatialModel, path: str | Path, *, loops: str | Path | None = None) -> ConversionReport:
    """Write a model or a robot as URDF (.urdf), SDF (.sdf) or MJCF (.xml, .mjcf).

    Constraints that the format cannot say are refused; what acts and cannot be said is warned of.

    Args:
        robot: The model, or what `read_robot` gave.
        path: The file; its ending says the format. Meshes go to a folder beside it.
        loops: YAML file for the loops, motors, spherical and universal joints of a URDF file. Without it, loops are written as
            ``<constraint>`` and these joints in Drake's words.

    Returns:
        What could not be said in the format, or only nearly.
    """
    file = Path(path)
    kind = format_of(file)
    report = ConversionReport()
    if isinstance(robot, SpatialModel):
        from pytrammel.io.robots.description.tree import describe

        robot = describe(robot, report)
    elif not isinstance(robot, Robot):
        raise ModelError(f"save_robot writes a spatial model or a robot, but it is given {short(robot)}.")
    sink = Sink(file, report)
    if loops is not None:
        beside = loops_target(loops, kind.name)
        sink.loops = LoopsText()
    content = kind.write(robot, sink)
    write_whole(file, content.encode())
    if loops is not None:
        write_whole(beside, str(sink.loops).encode())
    if report.serious:
        warnings.warn(
            report.sentence(file.name).replace(" (print(m.conversion_report))", ""), ModelWarning, stacklevel=2
        )
    return report


def loops_target(loops: object, format_name: str) -> Path:
    """The YAML file that loops go to; raise `ModelError` where there can be none."""
    if not isinstance(loops, str | os.PathLike):
        raise ModelError(f"loops is {short(loops)} but must be the path of a YAML file.")
    file = Path(loops)
    if format_name != "URDF":
        raise ModelError(
            f"loops={file.name!r}: only URDF has its loops in a YAML file; {format_name} files contain their loops. Omit loops=."
        )
    if file.suffix.lower() not in ENDINGS:
        raise FileFormatError(f"loops={file.name!r} must end in {' or '.join(ENDINGS)}.")
    return file


def convert_robot(
    path: Path, target: Path, *, loops: object = None, loops_to: str | Path | None = None
) -> ConversionReport:
    """One robot file as another one, without a model between: names, ranges and limits stay as they are.

    Args:
        path, target: Robot files.
        loops: YAML file with the loops of the first, as for `read_robot`.
        loops_to: YAML file for the loops of the second, as for `save_robot`.

    Returns:
        What was not taken over from the first, and what could not be said in the second.
    """
    robot = read_robot(path, loops=loops)
    said = list(robot.conversion_report.notes)
    return ConversionReport([*said, *save_robot(robot, target, loops=loops_to).notes])


def format_of(path: Path) -> Format:
    """The format that a file's ending stands for."""
    for one in robot_formats().values():
        if path.suffix.lower() in one.endings:
            return one
    known = ", ".join(ending for one in robot_formats().values() for ending in one.endings)
    raise FileFormatError(f"{path.name} ends in {path.suffix!r}; the ending of a robot file is one of: {known}.")


__all__ = ["Robot", "convert_robot", "format_of", "load_robot", "read_robot", "robot_formats", "save_robot"]
