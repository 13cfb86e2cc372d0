"""All pages."""

from __future__ import annotations

from .haug_kamman_attia import ATTIA, HAUG_BODIES, HAUG_SYSTEMS, KAMMAN
from .nikravesh_0 import INTRODUCTION
from .nikravesh_1_3 import ALGORITHMS, VOCABULARY
from .nikravesh_4 import DRIVERS, JOINTS
from .nikravesh_5 import KAP, PROBLEMS
from .nikravesh_6 import ROTATIONS
from .nikravesh_7 import BASICS, SPACE
from .nikravesh_9 import DAP, FORCES, SYSTEMS
from .nikravesh_11 import CONSTRAINED, INTEGRATION, SPATIAL, STATICS
from .page import Page

NIKRAVESH = Page(
    "nikravesh.md",
    "Nikravesh, 1988",
    "P. E. Nikravesh, *Computer-Aided Analysis of Mechanical Systems*, Prentice Hall, 1988.",
    (
        INTRODUCTION,
        VOCABULARY,
        ALGORITHMS,
        JOINTS,
        DRIVERS,
        KAP,
        PROBLEMS,
        ROTATIONS,
        SPACE,
        BASICS,
        FORCES,
        DAP,
        SYSTEMS,
        SPATIAL,
        INTEGRATION,
        CONSTRAINED,
        STATICS,
    ),
)
HAUG = Page(
    "haug.md",
    "Haug, 1989",
    "E. J. Haug, *Computer Aided Kinematics and Dynamics of Mechanical Systems*, Allyn and Bacon, 1989, chapter 11. Equation numbers\n"
    "have two dots.",
    (HAUG_BODIES, HAUG_SYSTEMS),
)
KAMMANS = Page(
    "kamman.md",
    "Kamman",
    "J. W. Kamman, notes on multibody dynamics: equations of motion with inter-body joints, relative coordinates and Kane's equations.\n"
    "The notes print no numbers; the tests compare with formulas of the notes, closed forms and the other formulations.",
    (KAMMAN,),
)
ATTIAS = Page(
    "attia.md",
    "Attia",
    "H. A. Attia, papers on linkages as systems of particles, and on velocity transformations. The paper gives neither link lengths nor\n"
    "the starting pose of its platform; the example `planar_platform` has own dimensions.",
    (ATTIA,),
)
PAGES = (NIKRAVESH, HAUG, KAMMANS, ATTIAS)
