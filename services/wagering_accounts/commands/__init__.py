"""Commands of people and tables on the wagering accounts, each with its handler."""

from services.wagering_accounts.commands import accounts, filings, identities, patrons, promotions, wagers
from services.wagering_accounts.commands.deciding import COMMANDS

__all__ = ["COMMANDS", "accounts", "filings", "identities", "patrons", "promotions", "wagers"]
