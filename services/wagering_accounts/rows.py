"""Turns what stands into rows of its tables, and rows into what stands."""

from datetime import datetime
from functools import cache
from typing import Any, TypeVar

from sqlalchemy import Table

from services.wagering_accounts.access_codes import HashedCode
from services.wagering_accounts.books import Limit, Patron, Round
from shared.journal.bulk import Row, column_names

_ATTRIBUTES = {"property": "property_name", "table_name": "table"}
"""The attributes whose names are not those of their columns."""

ThingT = TypeVar("ThingT")


def row_of(table: Table, thing: Any) -> Row:
    """Return a patron, account, round, hold, part of a round or adjustment as a row of its table."""
    own: dict[str, Any] = {}
    if isinstance(thing, Patron):
        limits = {
            kind: [limit.cents, limit.next_cents, None if limit.next_at is None else limit.next_at.isoformat()]
            for kind, limit in thing.limits.items()
        }
        own = {"salt": thing.code.salt, "hash": thing.code.hash, "limits": limits}
    elif isinstance(thing, Round):
        own = {"posted": sorted(thing.posted), "reversed": sorted(thing.reversed)}
    return {name: own[name] if name in own else getattr(thing, attribute) for name, attribute in _attributes(table)}


@cache
def _attributes(table: Table) -> tuple[tuple[str, str], ...]:
    return tuple((name, _ATTRIBUTES.get(name, name)) for name in column_names(table))


def thing_of(kind: type[ThingT], row: Any) -> ThingT:
    """Return what a row of the table of such things says."""
    values: dict[str, Any] = {_ATTRIBUTES.get(name, name): value for name, value in row._asdict().items()}
    if kind is Patron:
        values["code"] = HashedCode(values.pop("salt"), values.pop("hash"))
        values["limits"] = {
            name: Limit(cents, next_cents, None if next_at is None else datetime.fromisoformat(next_at))
            for name, (cents, next_cents, next_at) in values["limits"].items()
        }
    elif kind is Round:
        values |= {"posted": set(values["posted"]), "reversed": set(values["reversed"])}
    return kind(**values)
