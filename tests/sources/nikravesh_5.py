"""Nikravesh (1988), chapter 5."""

from __future__ import annotations

from .page import Section, rows

KAP = Section(
    "Chapter 5: the program KAP",
    setup='''
from pytrammel.io.decks.kap_deck import read_kap

for name in ("four_bar", "slider_crank", "quick_return", "platform", "dump_truck"):
    Path(f"{name}.kap").write_text(find(f"kap_{name}").source())
session = """4,4,0,1,0,1,1
0.0,0.0,0.0
0.5,0.8,1.047
2.6,2.6,0.5
3.5,1.8
1.0
1,2,0,0,-1,0
2,3,1,0,-2,0
3,4,2,0,2,0
4,1,-2,0,2.5,0
1
2,3,1.0472,6.2832,0
3,0.5,1.5
0,0.05,0.025
C
T
"""  # section 5.2.1; the record of body 4 takes two lines
_ = Path("session.txt").write_text(session)
_ = Path("wrong.txt").write_text("4,4,0,1,0,2,1\\n4,4,0,1,0,1,1\\nT\\n")
''',
    rows=rows(
        (
            "four-bar",
            "5.2.1",
            "pytrammel kap four_bar.kap",
            "'2.824   2.553   0.423 -11.085   6.732   0.246  -52.441  -39.898   15.646' in printed",
        ),
        ("slider-crank", "5.2.2; 4.4.1", "pytrammel kap slider_crank.kap", "code == 0 and '-663.159' in printed"),
        ("quick-return", "5.2.3; 4.4.2", "pytrammel kap quick_return.kap", "code == 0"),
        (
            "slider-crank with simple constraints in place of the slide",
            "4.4.1",
            'm = read_kap("slider_crank.kap").model().copy(without=["slider1"]); m.constrain("y", "body4.y"); m.constrain("phi", "body4.phi"); k = m.kinematics(5.3)',
            "near(k['body4'].ax[0], 312.0154, 1e-3)",
        ),
        ("platform, assembly for DAP", "10.3.2", "pytrammel kap platform.kap", "code == 0 and '-1.353' in printed"),
        ("dump truck, assembly for DAP", "10.3.3", "pytrammel kap dump_truck.kap", "code == 0 and '0.914' in printed"),
        ("one report by a step of zero", "5.1.2", "pytrammel kap dump_truck.kap --quiet --json -"),
        ("decks from Python", "5.1", 'deck = read_kap("four_bar.kap"); deck.run(); deck.model()'),
        ("deck to begin with", "5.2", "pytrammel example --source kap_four_bar > mine.kap", "code == 0"),
        (
            "prompts and records",
            "5.1.4",
            "pytrammel kap --interactive < session.txt",
            "code == 0 and 'FOR REV. JOINT NO. 4 ENTER BODY NOS. I AND J' in printed",
        ),
        (
            "records over several lines",
            "5.1.4",
            "pytrammel kap --interactive < session.txt",
            "'2.824   2.553   0.423' in printed",
        ),
        ("counts checked immediately", "5.1.2", "pytrammel kap --interactive < wrong.txt", "'INPUT ERROR' in printed"),
        (
            "T terminates, C continues, pause after each report",
            "problem 5.10",
            "pytrammel kap four_bar.kap --pause < session.txt",
        ),
        ("saved and replayed input, echo", "problem 5.8", "pytrammel kap four_bar.kap --echo --save-deck again.kap"),
        ("saved results", "problem 5.9", "pytrammel kap four_bar.kap --quiet --json four_bar.json --csv four_bar.csv"),
        ("degrees or radians", "problem 5.11", "pytrammel kap four_bar.kap --degrees --level 1"),
        ("levels of the analysis", "problem 5.12", "pytrammel kap four_bar.kap --level 2"),
        ("NRMAX, FEPS, EPSLU", "5.1", "pytrammel kap four_bar.kap --nrmax 40 --feps 1e-6 --epslu 1e-5"),
        (
            "KAP's own algorithm: NUTON2, LINEAR, LU",
            "5.1; 3.3, 3.4",
            "pytrammel kap four_bar.kap --as-kap",
            "'2.824   2.553   0.423' in printed",
        ),
        (
            "singular matrix",
            "5.1.2; 3.3.5",
            "pytrammel kap four_bar.kap --epslu 10",
            "code == 1 and 'THE MATRIX IS SINGULAR' in printed",
        ),
        (
            "no convergence",
            "5.1.2; 3.4.3",
            "pytrammel kap four_bar.kap --nrmax 1 --feps 1e-9",
            "code == 1 and 'CONVERGENCE FAILED' in printed",
        ),
        ("more than the storage of KAP", "5.1.2", 'm = read_kap("quick_return.kap").model(); m.kinematics(0.5)'),
        ("path of a point", "fig. 5.3", "pytrammel kap four_bar.kap --quiet --plot path.png --of P1"),
        (
            "acceleration of the slider",
            "figs. 5.4, 5.5",
            "pytrammel kap slider_crank.kap --quiet --plot slider.png --of body4.ax",
        ),
        (
            "one quantity over another",
            "problems 5.5, 5.35",
            "pytrammel kap four_bar.kap --quiet --plot alpha.png --of body4.alpha --over body4.phi",
        ),
        ("stages of a motion", "fig. 10.7", "pytrammel kap four_bar.kap --quiet --draw stages.png --stages 6"),
        (
            "graphics: outlines moved by coordinates",
            "1.4.2",
            "pytrammel kap four_bar.kap --quiet --animate four_bar.html",
        ),
        ("input, analysis and output as separate phases", "1.4; fig. 1.14", "pytrammel check four_bar.kap"),
        (
            "further joints in a deck",
            "problem 5.13",
            'm = read_kap("four_bar.kap").model(); m.link("L", m["body2"].at(0, 0), m["body4"].at(0, 0))',
        ),
        (
            "further drivers",
            "problem 5.14",
            'm = read_kap("four_bar.kap").model().copy(without=["driver1"]); m.driver("D", "revolute1.angle", "1.05 + sin(t)")',
        ),
        (
            "user constraints (USRCON)",
            "problem 5.18",
            'm = read_kap("four_bar.kap").model(); m.equation("U", "body2.phi + body4.phi - 2")',
        ),
    ),
    manual="nikravesh_programs_kap_and_dap",
)

PROBLEMS = Section(
    "Chapter 5: mechanisms of the problems",
    setup="""
def four_bar_of(a, b, c, d, crank=90, side=1):
    m = tm.PlanarModel("four-bar")
    places = {"A": 0j, "B": a * np.exp(1j * np.radians(crank)), "D": complex(d)}
    places["C"] = tm.meet(places["B"], places["D"], b, c, side)
    m.linkage(places, {"ground": "AD", "crank": "AB", "coupler": "BC", "rocker": "DC"})
    m.driver("motor", "crank.phi", f"{tm.deg(crank)} + t")
    return m


turn = 2 * np.pi


def translator():
    m = tm.PlanarModel("drafting table")
    places = {
        "A": 0j,
        "D": 2,
        "B": 1 + 1j,
        "C": 3 + 1j,
        "F": 2.5 + 1.8j,
        "E": 2.5 + 1.2j,
        "G": 4 + 1.5j,
        "H": 4 + 0.9j,
    }
    m.linkage(
        places, {"ground": "AD", "left": "AB", "right": "DC", "q": "BCEF", "upper": "FG", "lower": "EH", "p": "GH"}
    )
    return m


def peaucellier(e, crank, f, g):
    m = tm.PlanarModel("Peaucellier")
    places = {"F": 0j, "E": e, "R": e + crank * np.exp(0.3j)}
    places["P"], places["Q"] = (tm.meet(places["F"], places["R"], f, g, side) for side in (1, -1))
    places["S"] = places["P"] + places["Q"] - places["R"]
    m.linkage(places, {"ground": "FE", **{name: name for name in ("ER", "FP", "FQ", "PR", "QR", "PS", "QS")}})
    m.point("tip", "PS", at=(places["S"].real, places["S"].imag))
    m.driver("motor", "ER.phi", "0.3 + t")
    return m


def chebyshev():
    m = tm.PlanarModel("reversing six-bar")
    places = {"E": 0j, "H": 2.66, "K": 2.66 + 2.78j, "F": 1.08}
    places["G"] = tm.meet(places["F"], places["H"], 2, 2)
    places["I"] = 2 * places["G"] - places["F"]
    places["J"] = tm.meet(places["I"], places["K"], 1.14, 1.14)
    m.linkage(places, {"ground": "EHK", "crank": "EF", "coupler": "FGI", "rocker": "GH", "rod": "IJ", "output": "KJ"})
    m.driver("motor", "crank.phi", "t")
    return m


def xy(z):
    return z.real, z.imag


def kostitsyn(a=1.0):  # the drawing is lost; AB = CD = a, BC = AD = b, and E on BC, at the distance c beyond C
    m = tm.PlanarModel("approximate straight line")
    places = {"A": 0j, "B": a * np.exp(0.5j), "D": 4 * a}
    places["C"] = tm.meet(places["B"], places["D"], 4 * a, a, -1)
    places["E"] = places["C"] + 5 / 4 * (places["C"] - places["B"])
    m.linkage(places, {"ground": "AD", "crank": "AB", "coupler": "BCE", "rocker": "DC"})
    m.driver("motor", "crank.phi", "0.5 + t")
    return m


def thread_guide(c=3.0):  # the drawing is lost; the lengths of the text, joints and crank c chosen here
    m = tm.PlanarModel("thread guide")
    places = {"O": 0j, "A": c * 1j, "D": 20 + 7j}
    places["E"] = tm.meet(places["A"], places["D"], 10 + 9, 6.5)
    places["B"] = places["A"] + 10 / 19 * (places["E"] - places["A"])
    places["F"] = tm.meet(places["D"], places["E"], 6.5, 5)
    places["G"] = places["F"] - 17.5j
    places["H"] = places["G"] - 4j
    m.linkage(places, {"ground": "OD", "crank": "OA", "rod": "ABE", "lever": "DEF", "guide": "FGH"})
    m.point_on_line("slide", m.ground, m["G"], line=(m.ground.at(*xy(places["G"])), m.ground.at(*xy(places["G"] + 1j))))
    m.driver("motor", "crank.phi", "pi/2 + t")
    return m


def dwell():  # the drawing is lost; OH and CH, CG and FG are taken as right-angled distances of the pivots C and F
    m = tm.PlanarModel("dwell of problem 5.35")
    places = {"O": 0j, "A": 0.8, "C": 3.5 + 1.5j, "F": 4.5 - 2.5j}
    places["B"] = tm.meet(places["A"], places["C"], 3.6, 2.3, -1)
    places["D"] = tm.meet(places["A"], places["B"], 4, 2)
    places["E"] = tm.meet(places["D"], places["F"], 3.5, 3.5, -1)
    m.linkage(places, {"ground": "OCF", "crank": "OA", "coupler": "ABD", "rocker": "CB", "link": "DE", "output": "FE"})
    m.driver("motor", "crank.phi", "t")
    return m


def dwell_with_slider():  # the drawing is lost; OE and CE are taken as right-angled distances of C, BD across AB
    m = tm.PlanarModel("dwell of problem 5.36")
    places = {"O": 0j, "A": 1, "C": 3.5 + 5j, "F": 2.5j}
    places["B"] = tm.meet(places["A"], places["C"], 4, 3.5, -1)
    places["D"] = places["B"] + 2.5j * (places["B"] - places["A"]) / 4
    m.linkage(places, {"ground": "OCF", "crank": "OA", "coupler": "ABD", "rocker": "CB"})
    way = places["D"] - places["F"]
    m.body("output", position=xy(places["F"]), angle=float(np.angle(way)))
    m.body("slider", position=xy(places["D"]), angle=float(np.angle(way)))
    m.revolute("pivot", m.ground, "output", at=xy(places["F"]))
    m.revolute("pin", "coupler", "slider", at=xy(places["D"]))
    m.prismatic("slot", "output", "slider", at=xy(places["D"]), axis=xy(way))
    m.driver("motor", "crank.phi", "t")
    return m


def rest(k, start, width):  # turn of the output [deg] while the crank turns by `width` degrees from `start`
    crank = np.degrees(k["crank"].phi - k["crank"].phi[0])
    return np.degrees(np.ptp(k["output"].phi[(crank >= start) & (crank <= start + width)]))


def straight(path):  # width of a path over its length
    c = path - path.mean(axis=0)
    along = c @ np.linalg.svd(c, full_matrices=False)[2].T
    return np.ptp(along[:, 1]) / np.ptp(along[:, 0])


def hart(crank=0.2, part=0.4):  # the drawing is lost; Hart's inversor (n = 2 m) leads S, MR = RS, P divides RS
    m = find("hart_inversor").build()
    assert isinstance(m, tm.PlanarModel)
    S = complex(m["Q"].x0, m["Q"].y0)
    M = S.real - 0.2j  # on the line of S
    R = tm.meet(M, S, crank, crank)
    m.body("MR", position=xy(M))
    m.body("RS", position=xy(R))
    m.revolute("M", m.ground, "MR", at=xy(M))
    m.revolute("R", "MR", "RS", at=xy(R))
    m.revolute("S", "RS", "BC", at=xy(S))
    m.point("ellipse", "RS", at=xy(R + part * (S - R)))
    return m


def leg():
    m = tm.PlanarModel("leg of the walking machine")
    places = {"C": 0.785, "O": 0j, "A": -0.355}
    places["B"] = tm.meet(places["A"], places["C"], 1, 1, -1)
    places["D"] = 2 * places["B"] - places["A"]
    m.linkage(places, {"ground": "OC", "crank": "OA", "leg": "ABD", "rocker": "CB"})
    m.driver("motor", "crank.phi", "pi + t")
    return m
""",
    rows=rows(
        (
            "double crank",
            "problem 5.1",
            "k = four_bar_of(2.1, 1.6, 2.6, 0.9).kinematics(turn)",
            "near(k['rocker'].omega[50], 0.70000, 1e-5)",
        ),
        (
            "rocker-crank, swing of the rocker",
            "problem 5.2",
            'k = four_bar_of(0.8, 2.1, 1.6, 2.5, 60).kinematics(turn, samples=721); np.degrees(np.ptp(k["rocker"].phi))',
            "near(np.degrees(np.ptp(k['rocker'].phi)), 60.0072, 1e-3)",
        ),
        (
            "double rocker, driven coupler",
            "problem 5.3",
            'm = four_bar_of(2.1, 0.8, 2.5, 1.6).copy(without=["motor"]); k = m.kinematics(turn, prescribed={"coupler.phi": f"{m.assemble().pose(\'coupler\')[2]!r} + t"})',
        ),
        (
            "dead points",
            "problem 5.4",
            "run = lambda: four_bar_of(2.1, 0.8, 2.5, 1.6).kinematics(turn)",
            "raises(tm.TrammelError, run)",
        ),
        (
            "change point, two turns",
            "problem 5.5",
            "k = four_bar_of(1.2, 1.4, 1.6, 1.0).kinematics(2*turn); k.singularities",
            "len(k.singularities) > 0 and near(np.ptp(k['rocker'].phi[[0, -1]]), 2*turn)",
        ),
        (
            "Galloway linkage",
            "problem 5.6",
            "k = four_bar_of(1, 1.5, 1.5, 1).kinematics(2*turn)",
            "near(np.ptp(k['rocker'].phi[[0, -1]]), turn)",
        ),
        (
            "parallelogram and antiparallelogram",
            "problem 5.7",
            "k = four_bar_of(1, 2, 1, 2, 60).kinematics(2*turn); k.singularities",
            "len(k.singularities) == 4",
        ),
        (
            "film-strip drive, mean speed",
            "problem 5.20",
            'k = four_bar_of(0.8, 2.1, 1.6, 2.5, 60).kinematics(turn); k.statistics("rocker.omega")',
        ),
        (
            "coupler curves",
            "problem 5.21",
            'm = four_bar_of(0.8, 2.1, 1.6, 2.5, 60); m.point("P", "coupler", local=(1, 0.5)); m.kinematics(turn).plot.path("P")',
        ),
        (
            "web cutter, crank angle at cutting",
            "problem 5.22",
            'k = four_bar_of(0.8, 2.1, 1.6, 2.5, 60).kinematics(turn); k.extremes("rocker.phi")',
        ),
        ("elliptic trammel", "problem 5.23", 'k = find("elliptic_trammel").run()'),
        ("dough kneader", "problem 5.24", 'k = find("dough_kneader").run()'),
        ("translator of a drafting table", "problem 5.25", "m = translator(); m.mobility()", "m.mobility().dof == 2"),
        (
            "translator with two rings",
            "problem 5.26",
            'm = translator(); m.body("q2", position=(2, 1)); m.revolute("I", "q", "q2", at=(2, 1)); m.constrain("alpha", m.angle_between("q", "q2"), value=0.4)',
            "m.mobility().dof == 2",
        ),
        ("pantographs, driven by coordinates of a point", "problem 5.27", 'k = find("pantograph").run()'),
        (
            "warped traces",
            "problem 5.28",
            'm = find("pantograph").build(); m.point("D1", list(m.bodies)[-1], local=(0.01, 0.02)); m.kinematics(1.0)',
        ),
        (
            "Peaucellier–Lipkin straight line",
            "problem 5.30",
            "k = peaucellier(1.2, 1.2, 3.0, 1.4).kinematics(1.2)",
            "near(k['tip'].x, (3.0**2 - 1.4**2)/2.4, 1e-9)",
        ),
        (
            "circle inversion",
            "problem 5.31",
            "k = peaucellier(0.8, 1.4, 2.0, 1.6).kinematics(1.0)",
            "near(np.hypot(k['tip'].x + 0.872727, k['tip'].y), 1.527273, 2e-6)",
        ),
        (
            "Hart's mechanism: S on a straight line, a point of RS on an ellipse",
            "problem 5.32",
            "k = hart().kinematics(1.0); across = k['ellipse'].x - k['Q'].x; along = k['ellipse'].y + 0.2",
            "near(np.ptp(k['Q'].x), 0, 1e-12) and near((across/(0.6*0.2))**2 + (along/(1.4*0.2))**2, 1, 1e-9) and np.ptp(along) > 0.1",
        ),
        (
            "Chebyshev's reversing mechanism",
            "problem 5.33",
            "k = chebyshev().kinematics(turn)",
            "near(k['output'].phi[-1] - k['output'].phi[0], -turn)",
        ),
        (
            "Kostitsyn's approximate straight line, change-point linkage",
            "problem 5.29",
            'k = kostitsyn().kinematics(2.5, samples=251); k.plot.path("E")',
            "straight(k['E'].position[150:250]) < 0.01",
        ),
        (
            "thread guide of a sewing machine, path of H",
            "problem 5.34",
            'k = thread_guide().kinematics(turn); k.plot.path("H")',
            "near([np.ptp(k['H'].x[[0, -1]]), np.ptp(k['H'].y[[0, -1]])], 0, 1e-9) and np.ptp(k['H'].y) > 1",
        ),
        (
            "dwell linkage, speed over the angle of the crank",
            "problem 5.35",
            'k = dwell().kinematics(turn, samples=721); k.plot("output.omega", x="crank.phi")',
            "rest(k, 178, 65) < 1.03 and np.degrees(np.ptp(k['output'].phi)) > 21",
        ),
        (
            "dwell linkage with a slider, path of the slider",
            "problem 5.36",
            'k = dwell_with_slider().kinematics(2*turn, samples=1441); k.plot.path("slider")',
            "rest(k, 318, 136) < 1.04 and np.degrees(np.ptp(k['output'].phi)) > 25",
        ),
        ("Geneva wheel", "problem 5.37", 'k = find("geneva").run(); k.events'),
        (
            "walking machine: a foot on a straight line for half a turn",
            "problem 5.38",
            "k = leg().kinematics(turn)",
            "near(np.ptp(k['D'].y[np.cos(k['crank'].phi) < 1e-9]), 0.00135, 2e-5)",
        ),
        (
            "walking machine: pairs of feet that stand alternately",
            "problem 5.38",
            'm = leg(); m.body("floor", position=(0, -2)); m.constrain("x", "D.x"); m.constrain("y", "D.y"); m.phase("stance", active=["x", "y"], hold=["x", "y"])',
        ),
        ("chairs, windows, tops", "problem 5.39", 'k = find("windshield_wiper").run()'),
    ),
    manual="nikravesh_kinematics",
)
