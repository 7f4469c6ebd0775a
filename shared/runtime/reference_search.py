"""Find what people identify by a printed reference: in any case, by the whole reference or by its last characters.

An index on the reversed reference in lower case makes both a range of the index:

    Index("rounds_by_end", reversed_reference(column("round_id")), "property")

The property comes last. While a table has no statistics, the planner takes an index that begins with the property to be
as good as that of the primary key, and would scan the property's rows for each row that is looked up by its key.
"""

from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Table, collate, func, select

LAST_CHARACTERS_MIN: Final = 4
"""Minimum number of characters by which the end of a reference is found; a shorter text must be the whole reference."""

FOUND_MAX: Final = 20
"""Maximum number of references found by a search."""

_AFTER_EVERY_CHARACTER: Final = "\x7f"
"""A character after all that an `Identifier` may contain, in the C collation."""


def reversed_reference(reference: ColumnElement[str]) -> ColumnElement[str]:
    """Return the SQL expression of the index: the reference in lower case, from its end, in the C collation."""
    return func.reverse(func.lower(collate(reference, "C")))


def matches_reference(reference: ColumnElement[str], typed: str) -> ColumnElement[bool]:
    """Return the SQL condition for references that `typed` means."""
    if len(typed) < LAST_CHARACTERS_MIN:
        return is_reference(reference, typed)
    end = typed.lower()[::-1]
    return reversed_reference(reference).between(end, end + _AFTER_EVERY_CHARACTER)


def is_reference(reference: ColumnElement[str], typed: str) -> ColumnElement[bool]:
    """Return the SQL condition for references that are `typed` as a whole, in any case."""
    return reversed_reference(reference) == typed.lower()[::-1]


def references_like(table: Table, name: str, property_name: str, typed: str) -> Select[Any]:
    """Return the query for the first rows of a property whose reference in column `name` `typed` means.

    A row whose whole reference was typed comes first.
    """
    reference = table.c[name]
    return (
        select(table)
        .where(table.c.property == property_name, matches_reference(reference, typed))
        .order_by(reversed_reference(reference))
        .limit(FOUND_MAX)
    )
