"""Capabilities of the source texts, each with a call that runs: the pages docs/sources/*.md are written from these rows."""
