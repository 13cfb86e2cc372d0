"""The model as a function: dynamics, kinematics and Jacobians at any coordinates and velocities."""
