"""Models of the Modelica mechanics library, compared with its published results.

`network` lowers networks of parts and connections to Trammel's public model; `parts`, `joints`, `loads` and `drives` hold the parts with
Modelica's names and defaults; `columns` makes the columns of Modelica's result files from results; `reference` compares.
"""
