"""Typical mistakes: type checkers report every line that a comment calls wrong, and no other."""

import numpy as np

import pytrammel as tm

m = tm.PlanarModel("four-bar")
s = tm.SpatialModel("arm")
crank = m.body("crank", position=(0.1, 0.0), mass=1.0, inertia=0.01)
hinge = m.revolute("A", m.ground, crank, at=(0.0, 0.0))
result = m.simulate(1.0)

tm.no_such_name()  # wrong
tm.PlanerModel("four-bar")  # wrong
tm.PlanarModel("four-bar", gravitiy=(0.0, 0.0))  # wrong
tm.PlanarModel(name=3)  # wrong
m.kinematcs(1.0)  # wrong
m.revolute("A", m.ground, nonsense=3)  # wrong
m.revolute("A", m.ground, [1.0, 2.0], at=(0.0, 0.0))  # wrong
m.revolute("A", m.ground, crank, at=3.0)  # wrong
m.simulate(durration=1.0)  # wrong
m.simulate("long")  # wrong
m.simulate(1.0, samples=2.5)  # wrong
m.simulate(1.0, events="stop")  # wrong
m.body("rod", mass=[1.0])  # wrong
m.body("rod", position=0.3)  # wrong
m.body("rod", position="left")  # wrong
m.body("rod", colour="red")  # wrong
m.link("rod", m.ground, crank, length=crank)  # wrong
m.spring("s", m.ground, crank, stifness=100.0)  # wrong
m.spring("s", m.ground, crank, stiffness=[100.0])  # wrong
m.spherical("B", m.ground, crank)  # wrong
m.parameter("rod", value=None)  # wrong
m.driver("motor", 3.0, "t")  # wrong
m.ground.positon  # wrong
m.bodies["crank"].lenght  # wrong
crank.at("tip", 0.0, 0.0, 0.0)  # wrong
crank.phi + 1.0  # wrong
hinge.angel  # wrong
hinge.angle.valeu  # wrong
m["A"].angel  # wrong
m["crank"].masss  # wrong
result.timess  # wrong
result["crank"].velocty  # wrong
result["A"].angle_rte  # wrong
result.reaction("A").forse  # wrong
result.body("crank").omga  # wrong
result.to_csv(path=3)  # wrong
m.kinematics(1.0).draw(timee=0.5)  # wrong
m.equilibrium().stabel  # wrong
m.linearize(imputs=["A.angle"])  # wrong
m.linearize().frequncies  # wrong
m.mobility().degres  # wrong
m.batch({"rod": [0.1, 0.2]}).simulat(1.0)  # wrong
s.body("arm", shape="box", densty=7850.0)  # wrong
s.body("arm", rotation="upside down")  # wrong
s.revolute("A", s.ground, "arm", axes="z")  # wrong
s.body("arm").omega_body()  # wrong
tm.rotations.matrx((1.0, 0.0, 0.0, 0.0))  # wrong
tm.inertia.cylinder(radius="big", height=1.0, density=1.0)  # wrong
tm.textbook.linear.gaus([[1.0]], [1.0])  # wrong
tm.synthesis.four_bars()  # wrong
tm.deg("30")  # wrong
tm.load_robot(3)  # wrong
tm.load("model.toml").simulte(1.0)  # wrong
m.optimize(minimise="max(P.x)").value  # wrong
tm.functions.sin(crank)  # wrong
np.sin(result["crank"].angel)  # wrong
