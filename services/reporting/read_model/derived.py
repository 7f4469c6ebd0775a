"""Generated columns of the table `facts`, so that sums need not read whole documents. Amounts are cents.

All expressions are SQL on the columns of `facts`.
"""

from typing import Any, Final

from sqlalchemy import BigInteger, Column, Computed, Index, Text

_SAID: Final = "CASE kind WHEN 'pit.voided' THEN data ->> 'event' ELSE event END"
"""SQL for the type of the pit event that was recorded or voided."""

_MOVED_CENTS: Final = f"""CASE WHEN {_SAID} NOT IN ('vigorish.collected', 'vigorish.returned', 'chips.changed')
    THEN CAST(data #>> '{{moved,cents}}' AS bigint) END"""
"""SQL for the cents that people moved at a table; null for an event whose chips are counted with the settled round."""

_MOVED_BY: Final = f"CASE {_SAID} WHEN 'chips.sold' THEN data #>> '{{data,instrument}}' ELSE {_SAID} END"
"""SQL for the cause of a movement of chips or money: the type of the pit event or, for sold chips, the instrument."""

_SLIP: Final = """CASE
    WHEN kind = 'slip.requested' THEN (data ->> 'slip') || '/request/' || (data ->> 'request')
    WHEN kind LIKE 'slip.%' THEN (data ->> 'slip') || '/' || (data ->> 'number')
    WHEN kind LIKE 'manual_slip.%' THEN (data ->> 'slip') || '/paper/' || (data ->> 'number')
    WHEN event IN ('fill.carried', 'fill.received', 'credit.carried')
        THEN split_part(event, '.', 1) || '/' || (data #>> '{data,number}') END"""
"""SQL for the slip to which a step belongs, given as kind and number, such as `fill/17`.

A paper slip is named like `fill/paper/3`; a request, until it is prepared, like `fill/request/9`.
"""

_SLIP_REQUEST: Final = (
    "CASE kind WHEN 'slip.prepared' THEN (data ->> 'slip') || '/request/' || (data ->> 'request') END"
)
"""SQL for the request for which a slip was prepared."""


_CHECK: Final = (
    "CASE WHEN event = 'counter_check.issued' THEN data #>> '{{data,{name}}}' "
    "WHEN kind IN ('counter_check.prepared', 'counter_check.replaced') THEN data ->> '{name}' END"
)
"""SQL for the field `name` of a counter check that is prepared, is issued at a table, or replaces others."""


_ACT: Final = """CASE WHEN kind = 'pit.recorded' THEN (data ->> 'sequence') || '/' || coalesce(data ->> 'revision', '1')
    WHEN kind IN ('vigorish.waiver', 'vigorish.return') THEN data ->> 'event' END"""
"""SQL for the key by which a void refers to a pit event at its table."""

_VOIDS: Final = """CASE kind WHEN 'pit.voided' THEN (data ->> 'sequence') || '/' || (data ->> 'revision')
    WHEN 'vigorish.voided' THEN data ->> 'event' END"""
"""SQL for the key of the event that a void reverses."""


_DRAWER: Final = """coalesce({fact}.data #>> '{data,drawer}', {fact}.data ->> 'drawer', (
    SELECT p.data ->> 'patron' FROM reporting.facts p
    WHERE p.property = {fact}.property AND p.check_serial = {fact}.check_serial
      AND p.kind = 'counter_check.prepared' AND p.recorded_at <= :known_at LIMIT 1))"""


def drawer(fact: str) -> str:
    """Return SQL for the reference of the person who owes a counter check; `fact` is the alias of the check's fact.

    The fact is the issuance or replacement of the check. The person is the drawer that the table or the cage names or,
    without one, the patron against whose credit line the check was prepared.
    """
    return _DRAWER.replace("{fact}", fact)


def stands(fact: str = "facts") -> str:
    """Return SQL that is true if a fact was not voided as of `:known_at`; `fact` is the alias of the table `facts`."""
    return (
        f"NOT EXISTS (SELECT FROM reporting.facts voids WHERE voids.property = {fact}.property "
        f"AND voids.table_name = {fact}.table_name AND voids.voids = {fact}.act AND voids.service = {fact}.service "
        "AND voids.recorded_at <= :known_at)"
    )


def columns() -> tuple[Column[Any], ...]:
    """Return the generated columns: amounts moved, slip and request names, counter checks, and keys to match voids."""
    return (
        Column("moved_cents", BigInteger, Computed(_MOVED_CENTS, persisted=True)),
        Column("moved_by", Text, Computed(_MOVED_BY, persisted=True)),
        Column("slip", Text, Computed(_SLIP, persisted=True)),
        Column("slip_request", Text, Computed(_SLIP_REQUEST, persisted=True)),
        Column("check_serial", Text, Computed(_CHECK.format(name="serial"), persisted=True)),
        Column("act", Text, Computed(_ACT, persisted=True)),
        Column("voids", Text, Computed(_VOIDS, persisted=True)),
        Column("check_cents", BigInteger, Computed(f"CAST({_CHECK.format(name='cents')} AS bigint)", persisted=True)),
    )


def indexes() -> tuple[Index, ...]:
    """Return the indexes used to sum movements by window and hour, and to compare slips and counter checks."""
    moved = ["recorded_at", "moved_cents", "moved_by"]
    of_place = ("property", "table_name", "occurred_at")
    entry = ["service", "shard", "seq", "recorded_at", "kind", "event", "table_name"]
    step = [*entry, "slip", "slip_request", "contents_cents", "act"]
    check = ["service", "shard", "seq", "recorded_at", "event", "table_name", "check_serial", "check_cents", "act"]
    of_day, is_step, is_check = ("property", "gaming_day"), "slip IS NOT NULL", "check_serial IS NOT NULL"
    sold = ["occurred_at", "recorded_at", "table_name", "moved_by", "moved_cents"]
    is_sold = "moved_by IN ('currency', 'counter_check.issued') AND moved_cents <> 0"
    return (
        Index("facts_moved", *of_place, postgresql_include=moved, postgresql_where="moved_cents <> 0"),
        Index("facts_sold", *of_day, postgresql_include=sold, postgresql_where=is_sold),
        Index("facts_of_slips", *of_day, postgresql_include=step, postgresql_where=is_step),
        Index("facts_of_slip", "property", "slip", postgresql_where=is_step),
        Index("facts_of_request", "property", "slip_request", postgresql_where="slip_request IS NOT NULL"),
        Index("facts_of_checks", *of_day, postgresql_include=check, postgresql_where=is_check),
        Index(
            "facts_of_voids",
            *("property", "table_name", "voids"),
            postgresql_include=["service", "recorded_at"],
            postgresql_where="voids IS NOT NULL",
        ),
        Index("facts_of_check", "property", "check_serial", postgresql_where=is_check),
    )
