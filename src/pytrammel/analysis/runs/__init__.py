"""Simulations: equations and a method in one table, called between events, watched for progress and doubts."""
