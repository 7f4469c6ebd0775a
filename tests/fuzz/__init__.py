"""Whatever bytes come, a decoder reads them or refuses them in the one way that it declares: never anything else."""
