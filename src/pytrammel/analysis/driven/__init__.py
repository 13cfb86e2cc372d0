"""Motions that drivers prescribe: kinematics, and the loads that go with a given pose or motion."""
