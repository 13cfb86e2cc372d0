"""Bodies as a tree of joints: positions from joint coordinates outwards, forces inwards, accelerations outwards again."""
