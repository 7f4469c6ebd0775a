"""Law and regulation other than the rules of games: for each jurisdiction a pack of dated values with sources.

Every folder here with a `pack.yaml` is a pack; packs are not listed anywhere else. An installation may have its own
packs in one further folder.
"""

from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final

from shared.jurisdictions.dated import Dated, LawUnknown, Provision, past_review
from shared.jurisdictions.depending import AfterAFall, Graduated
from shared.jurisdictions.gaming_day import begins_at, gaming_day
from shared.jurisdictions.meters import LeastReset, least_reset
from shared.jurisdictions.model import Accounts, DeckHours, GamingPack, Pack, ReportingPack, WinFormula
from shared.jurisdictions.packs import Packs, PackWrong, load_pack
from shared.jurisdictions.periods import (
    Days,
    PeriodKind,
    days_of,
    fiscal_year_begin,
    fiscal_year_of,
    month_before,
    period_of,
)

__all__ = [
    "Accounts",
    "AfterAFall",
    "Dated",
    "Days",
    "DeckHours",
    "GamingPack",
    "Graduated",
    "LawUnknown",
    "LeastReset",
    "Pack",
    "PackWrong",
    "Packs",
    "PeriodKind",
    "Provision",
    "ReportingPack",
    "WinFormula",
    "begins_at",
    "days_of",
    "fiscal_year_begin",
    "fiscal_year_of",
    "gaming_day",
    "gaming_pack",
    "keep_own_packs_in",
    "known_packs",
    "least_reset",
    "load_pack",
    "month_before",
    "pack",
    "pack_of_regulation",
    "past_review",
    "period_of",
]


_own: Final[list[Traversable]] = []
"""The folder of the installation's own packs as the only element, or empty."""


@cache
def _known() -> Packs:
    """Return the packs of this package and of the installation."""
    return Packs.below(files(__package__), *_own)


def keep_own_packs_in(folder: Traversable | None) -> None:
    """Use the packs in this folder in addition to those of the package. None means the packs of the package only.

    Raises: PackWrong, or OSError if the folder does not exist; in both cases nothing changes.
    """
    own = [] if folder is None else [folder]
    if own != _own:
        Packs.below(files(__package__), *own)
        _own[:] = own
        _known.cache_clear()


def known_packs() -> tuple[str, ...]:
    """Return the ids of all packs."""
    return tuple(_known().by_id)


def pack(name: str) -> Pack:
    """Return a pack by its id, such as `us-federal`. Raises: LookupError."""
    return _known().pack(name)


def gaming_pack(name: str) -> GamingPack:
    """Return the pack of a jurisdiction that licenses table games, such as `us-pa`. Raises: LookupError."""
    return _known().gaming_pack(name)


def pack_of_regulation(regulation: str) -> GamingPack:
    """Return the pack that covers a regulation, such as `pa-645a-2011`. Raises: LookupError."""
    return _known().pack_of_regulation(regulation)
