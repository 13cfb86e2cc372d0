"""From what is wanted to a mechanism: synthesis of linkages, cams, gear trains, balancing."""
