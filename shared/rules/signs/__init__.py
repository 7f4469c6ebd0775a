"""Information for patrons about a rules submission: the payout sign, and the gaming guide. Pure."""

from shared.rules.signs.guide import guide
from shared.rules.signs.sheet import Row, Section, Sheet, Stated, Table
from shared.rules.signs.sign import sign

__all__ = ["Row", "Section", "Sheet", "Stated", "Table", "guide", "sign"]
