"""Atlas of coupler curves."""
