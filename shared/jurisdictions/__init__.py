"""What law and regulation fix apart from the rules of the games: a pack of dated, sourced values for each jurisdiction.

Each folder here with a `pack.yaml` is a pack; nothing lists them.
"""

from functools import cache
from importlib.resources import files

from shared.jurisdictions.dated import Dated, Provision
from shared.jurisdictions.gaming_day import begins_at, gaming_day
from shared.jurisdictions.model import Accounts, DeckHours, GamingPack, Pack, ReportingPack
from shared.jurisdictions.packs import Packs, PackWrong, load_pack

__all__ = [
    "Accounts",
    "Dated",
    "DeckHours",
    "GamingPack",
    "Pack",
    "PackWrong",
    "Packs",
    "Provision",
    "ReportingPack",
    "begins_at",
    "gaming_day",
    "gaming_pack",
    "known_packs",
    "load_pack",
    "pack",
    "pack_of_regulation",
]


@cache
def _packaged() -> Packs:
    """Return the packs that are part of this package."""
    return Packs.below(files(__package__))


def known_packs() -> tuple[str, ...]:
    """Return the ids of the packs."""
    return tuple(_packaged().by_id)


def pack(name: str) -> Pack:
    """Return a pack by its id, such as `us-federal`. Raises: LookupError."""
    return _packaged().pack(name)


def gaming_pack(name: str) -> GamingPack:
    """Return the pack of a jurisdiction that licenses table games, such as `us-pa`. Raises: LookupError."""
    return _packaged().gaming_pack(name)


def pack_of_regulation(regulation: str) -> GamingPack:
    """Return the pack that covers a regulation, such as `pa-645a-2011`. Raises: LookupError."""
    return _packaged().pack_of_regulation(regulation)
