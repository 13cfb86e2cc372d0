"""From a model to a robot."""
