"""Files: models, results, robots, decks and drawings."""
