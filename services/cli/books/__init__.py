"""Commands on the books: verify, prove, export, reconstruct, rebuild, reconcile, report."""
