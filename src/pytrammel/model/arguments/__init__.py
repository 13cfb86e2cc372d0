"""Arguments of builders: signatures, plain values, dimensions, and the record of a description."""
