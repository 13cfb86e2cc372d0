"""What textbooks of mechanisms draw by hand: one file for each kind of diagram, with its numbers and its picture."""
