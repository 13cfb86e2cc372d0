"""Scenes: what pictures and animations contain."""
