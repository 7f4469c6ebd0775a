"""The information for patrons about a rules submission: the sign of payout odds, and the gaming guide. Pure."""

from shared.rules.signs.guide import guide
from shared.rules.signs.sheet import Row, Section, Sheet, Stated, Table
from shared.rules.signs.sign import sign

__all__ = ["Row", "Section", "Sheet", "Stated", "Table", "guide", "sign"]
