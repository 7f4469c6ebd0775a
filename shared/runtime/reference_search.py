"""Search for rows by a printed reference, given completely or by its last characters, in upper or lower case.

With an index on the reversed reference in lower case, both searches read one range of the index:

    Index("rounds_by_end", reversed_reference(column("round_id")), "property")

The property is the last column of the index. If it were the first, then the planner, while a table has no statistics,
could prefer this index to the primary key, and scan all rows of the property to find one row by its key.
"""

from typing import Any, Final

from sqlalchemy import ColumnElement, Select, Table, collate, func, select

LAST_CHARACTERS_MIN: Final = 4
"""Minimum length of a text that is searched for at the end of references; a shorter text must be a whole reference."""

FOUND_MAX: Final = 20
"""Maximum number of rows that a search returns."""

_AFTER_EVERY_CHARACTER: Final = "\x7f"
"""A character that sorts after every character of an `Identifier`, in the C collation."""


def reversed_reference(reference: ColumnElement[str]) -> ColumnElement[str]:
    """Return the SQL expression of the index: the reference in lower case, reversed, in the C collation."""
    return func.reverse(func.lower(collate(reference, "C")))


def matches_reference(reference: ColumnElement[str], typed: str) -> ColumnElement[bool]:
    """Return the SQL condition for references that end with `typed`, ignoring case.

    If `typed` is shorter than `LAST_CHARACTERS_MIN`, the whole reference must equal it.
    """
    if len(typed) < LAST_CHARACTERS_MIN:
        return is_reference(reference, typed)
    end = typed.lower()[::-1]
    return reversed_reference(reference).between(end, end + _AFTER_EVERY_CHARACTER)


def is_reference(reference: ColumnElement[str], typed: str) -> ColumnElement[bool]:
    """Return the SQL condition for references that equal `typed`, ignoring case."""
    return reversed_reference(reference) == typed.lower()[::-1]


def references_like(table: Table, name: str, property_name: str, typed: str) -> Select[Any]:
    """Return the query for a property's rows whose reference, in column `name`, matches `typed`.

    At most `FOUND_MAX` rows are returned, beginning with a row whose whole reference equals `typed`.
    """
    reference = table.c[name]
    return (
        select(table)
        .where(table.c.property == property_name, matches_reference(reference, typed))
        .order_by(reversed_reference(reference))
        .limit(FOUND_MAX)
    )
