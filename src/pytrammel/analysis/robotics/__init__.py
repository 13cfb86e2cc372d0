"""Analyses of robots and other mechanisms with an end effector: inverse kinematics, workspaces, singularities, fastest motions."""
