"""Textbook tools: numerical methods on plain equations, comparisons, and the equations of a model written out.

* `integrate`: ordinary differential equations given as text, by any method of the package.
* `solve`: nonlinear equations given as text, by Newton's method with its history.
* `linear`: linear equations with all steps shown (`linear.gauss`, `linear.lu`, `linear.qr`, `linear.partition`).
* `compare_methods`, `convergence_study`: accuracy and time of integration methods; errors against step length.
* `compare_formulations`: the same motion in every formulation.
* `relative_equations`: the equations of motion in relative coordinates at one state (Kamman).
* `joint_efforts`: efforts of all joints of an open chain (recursive Newton–Euler).
* `particles`: bodies as particles with distances (Attia).

Matrices and terms of a model's own equations are methods of the model: ``m.matrices()``, ``m.terms()``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pytrammel._util.lazy_names import lazy_names
from pytrammel._util.messages import absent_from_module

if TYPE_CHECKING:
    from pytrammel.analysis.compare import compare_methods as compare_methods
    from pytrammel.analysis.compare import convergence_study as convergence_study
    from pytrammel.analysis.particles import particles as particles
    from pytrammel.analysis.plain_equations.integrate import integrate as integrate
    from pytrammel.analysis.plain_equations.solve import solve as solve
    from pytrammel.analysis.study.compare import compare_formulations as compare_formulations
    from pytrammel.analysis.study.efforts import joint_efforts as joint_efforts
    from pytrammel.analysis.study.relative_equations import relative_equations as relative_equations
    from pytrammel.textbook import linear as linear

__all__ = [
    "compare_formulations",
    "compare_methods",
    "convergence_study",
    "integrate",
    "joint_efforts",
    "linear",
    "particles",
    "relative_equations",
    "solve",
]

_HOME = {
    "compare_formulations": "pytrammel.analysis.study.compare",
    "compare_methods": "pytrammel.analysis.compare",
    "convergence_study": "pytrammel.analysis.compare",
    "integrate": "pytrammel.analysis.plain_equations.integrate",
    "joint_efforts": "pytrammel.analysis.study.efforts",
    "particles": "pytrammel.analysis.particles",
    "relative_equations": "pytrammel.analysis.study.relative_equations",
    "solve": "pytrammel.analysis.plain_equations.solve",
}
_MODULES = {"linear": "pytrammel.textbook.linear"}

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_names(
        __name__, _HOME, _MODULES, lambda name: absent_from_module(__name__, name, __all__)
    )
