"""Verification manual: reference cases, their comparison with Trammel, and the pages of docs/verification."""
