"""Published benchmarks."""
