"""Wagering accounts: patrons' wallets and the game accounts of sessions at electronic tables, to the cent."""
