"""Models of the Modelica mechanics library, compared with its published results.

`network` lowers networks of parts and connections to Trammel's public model. `parts`, `joints`, `loads`, `drives` and `servo` hold the
parts with Modelica's names and defaults, `train` one-dimensional drive trains. `columns` makes the columns of Modelica's result files
from results, `reference` compares, and `listing` lists all results.
"""
