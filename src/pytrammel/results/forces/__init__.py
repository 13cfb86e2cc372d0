"""Forces, energies and momenta of results."""
