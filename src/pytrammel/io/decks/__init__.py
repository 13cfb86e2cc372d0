"""Decks of the programs KAP and DAP."""
