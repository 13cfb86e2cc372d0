"""Random mechanisms and what must hold for every one of them.

A case is a script: the same lines that are run are printed when something fails. Beside the script stand *conditions* (what its joints
promise) and *laws* (what its forces do), written anew here with vectors and rotation matrices and without any derivative of ours.
"""
