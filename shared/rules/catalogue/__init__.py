"""The catalogue of each regulation as data: wagers, paytables, options, limits, each with its paragraph."""

from shared.rules.catalogue._load import catalogue, known_regulations
from shared.rules.catalogue._model import (
    Catalogue,
    IrregularityRule,
    Option,
    PayoutLimit,
    Paytable,
    PaytableMeter,
    PaytableRow,
    Reading,
    Wager,
)

__all__ = [
    "Catalogue",
    "IrregularityRule",
    "Option",
    "PayoutLimit",
    "Paytable",
    "PaytableMeter",
    "PaytableRow",
    "Reading",
    "Wager",
    "catalogue",
    "known_regulations",
]
