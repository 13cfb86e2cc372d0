"""What the documentation site needs beside Sphinx: formulas as MathML, pages written from the code, pictures of the examples."""
