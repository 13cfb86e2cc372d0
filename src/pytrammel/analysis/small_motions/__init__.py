"""Small motions about a state: linear terms, modes, responses."""
