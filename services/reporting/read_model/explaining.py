"""The entries behind a figure, each with its signed contribution and the records behind it, as of a given time."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Final, Literal

from sqlalchemy import Row, RowMapping, text

from services.reporting.framework.figures import Aggregate, Because, EntryRef, Part, Rounding
from services.reporting.read_model.derived import stands
from services.reporting.read_model.reading import Books
from services.reporting.read_model.rounds import LINE_FIGURES, STAKES
from services.reporting.read_model.statements import (
    AMOUNT_ENTRIES,
    CHIPS_ENTRIES,
    LINE_ENTRIES,
    PLAYED_ENTRIES,
    ROUND_ENTRIES,
    SHIFT_BY_HANDOVER,
)
from services.reporting.read_model.sums import AMOUNT_DIMENSIONS, HANDOVER_SHIFT, ROUND_DIMENSIONS
from shared.contracts.exact import NANOCENTS
from shared.contracts.wager_totals import FIGURES

_PLAYED: Final = {
    "posted": ("1", "sign > 0"),
    "corrected": ("1", "corrected"),
    "reversed": ("1", "sign < 0"),
    "rounds": ("sign", "true"),
    "seats": ("seats", "seats <> 0"),
}
"""For each measure of `played`: SQL for a round's contribution, and SQL for whether the round contributes."""

_BY_SLIPS: Final = ("fills_cents", "credits_cents")
"""The measures of a statement of win that consist of slips."""
_BY_BOXES: Final = ("currency_cents", "counter_checks_cents", "coupons_cents", "drop_cents", "boxes", "boxes_counted")
"""The measures of a statement of win that consist of drop boxes."""
_BY_COUNTS: Final = ("opener_cents", "closer_cents", "handed_over_cents")
"""The measures of a statement of win that consist of counts of the tray.

All other measures of a statement, such as the win, combine slips, boxes and counts.
"""

_STATED: Final = "CASE f.kind WHEN 'win.stated' THEN f.data -> '{name}' ELSE '[]' END"

_NANOCENTS: Final = "_nanocents"

_FACTS: Final = text(
    f"""
    SELECT f.service, f.shard, f.seq, f.kind, f.recorded_at, f.table_name, f.gaming_day, f.slip,
           f.data ->> 'sequence' AS sequence,
           CASE f.kind WHEN 'count.concluded' THEN f.data ->> 'count' END AS drop_count,
           ARRAY(SELECT jsonb_array_elements_text({_STATED.format(name="counts")})) AS counts,
           ARRAY(SELECT jsonb_array_elements_text({_STATED.format(name="boxes")})) AS boxes,
           ARRAY(SELECT s.slip FROM reporting.facts s
                 CROSS JOIN LATERAL jsonb_array_elements({_STATED.format(name="times")}) t(open)
                 WHERE s.property = f.property AND s.table_name = f.table_name AND s.slip IS NOT NULL
                   AND (s.moved_cents <> 0 OR s.kind = 'manual_slip.entered') AND s.recorded_at <= :known_at
                   AND s.occurred_at > CAST(t.open ->> 'since' AS timestamptz)
                   AND s.occurred_at <= coalesce(CAST(t.open ->> 'until' AS timestamptz), 'infinity') AND {stands("s")}
                 ORDER BY s.occurred_at, s.seq) AS slips
    FROM unnest(CAST(:services AS text[]), CAST(:shards AS integer[]), CAST(:seqs AS bigint[])) g(service, shard, seq)
    JOIN reporting.facts f USING (service, shard, seq)"""  # noqa: S608 - our own text
)


@dataclass(frozen=True, slots=True)
class Lead:
    """A record behind an entry: a slip, a box, a count of the tray or a pit event of a table, or a count of the drop.

    The name of a slip is like `fill/17`, of a paper slip like `fill/paper/3`, of a request without a slip like
    `fill/request/9`. The name of a box, a count or a pit event is its sequence in the table's pit stream, the name of a
    count of the drop is its number.
    """

    what: Literal["slip", "box", "count", "pit_event", "drop_count"]
    name: str
    table: str | None
    gaming_day: date | None


@dataclass(frozen=True, slots=True, kw_only=True)
class EntryBehind:
    """An entry behind a figure: its `value` of the measure, the `factor` by which it counts, and the records behind it.

    Amounts are cents; amounts of meters and vigorish can have exact fractions of a cent. An entry without a factor
    explains the figure without contributing an amount.
    """

    service: str
    shard: int
    seq: int
    recorded_at: datetime | None = None
    kind: str | None = None
    round_id: str | None = None
    table: str | None = None
    measure: str | None = None
    value: Fraction | None = None
    factor: Fraction | None = None
    leads: tuple[Lead, ...] = ()

    @property
    def adds(self) -> Fraction | None:
        """Return the exact contribution to the figure: `factor` times `value`; None if the entry adds no amount."""
        return None if self.factor is None or self.value is None else self.factor * self.value

    @property
    def entry(self) -> EntryRef:
        """Return the reference of the entry."""
        return EntryRef(self.service, self.shard, self.seq)


class Explaining:
    """Finds the entries behind a report's figures; an entry shared by several figures is read only once."""

    def __init__(self, books: Books) -> None:
        self._books = books
        self._summed: dict[Aggregate, Sequence[EntryBehind]] = {}
        self._facts: dict[EntryRef, Row[Any] | None] = {}

    async def entries_of(self, because: Because) -> list[EntryBehind]:
        """Return the entries behind a provenance, ordered by part and, within a part, by recording."""
        found = [entry for part in because for entry in await self._entries(part)]
        await self._read_facts([one.entry for one in found])
        return [self._with_fact(one) for one in found]

    async def _entries(self, part: Part) -> list[EntryBehind]:
        factor, source = None if part.factor is None else Fraction(part.factor), part.source
        if isinstance(source, EntryRef):
            of = EntryBehind(service=source.service, shard=source.shard, seq=source.seq)
            return [replace(of, value=None if part.value is None else Fraction(part.value), factor=factor)]
        if isinstance(source, Rounding):
            return []
        if source not in self._summed:
            self._summed[source] = await _summed(self._books, source)
        return [replace(one, factor=factor) for one in self._summed[source]]

    async def _read_facts(self, entries: Sequence[EntryRef]) -> None:
        wanted = list(dict.fromkeys(one for one in entries if one not in self._facts))
        self._facts |= dict.fromkeys(wanted)
        if wanted:
            services, shards, seqs = zip(*((one.service, one.shard, one.seq) for one in wanted), strict=True)
            rows = await self._books.read(_FACTS, services=[*services], shards=[*shards], seqs=[*seqs])
            self._facts |= {EntryRef(row.service, row.shard, row.seq): row for row in rows}

    def _with_fact(self, one: EntryBehind) -> EntryBehind:
        fact = self._facts[one.entry]
        if fact is None:
            return one
        leads = tuple(_leads(fact, one.measure))
        return replace(
            one, kind=fact.kind, recorded_at=fact.recorded_at, table=fact.table_name or one.table, leads=leads
        )


def _leads(fact: Row[Any], measure: str | None) -> Iterator[Lead]:
    """Yield the records that a fact refers to; for a statement of win, only records that contribute to `measure`."""
    at = (fact.table_name, fact.gaming_day)
    if fact.slip is not None:
        yield Lead("slip", fact.slip, *at)
    if fact.drop_count is not None:
        yield Lead("drop_count", str(fact.drop_count), *at)
    if fact.sequence is not None:
        yield Lead("pit_event", str(fact.sequence), *at)
    if fact.kind == "win.stated":
        for what, names, of_others in (
            ("count", fact.counts, (*_BY_SLIPS, *_BY_BOXES)),
            ("slip", fact.slips, (*_BY_COUNTS, *_BY_BOXES)),
            ("box", fact.boxes, (*_BY_COUNTS, *_BY_SLIPS)),
        ):
            shown = [name for name in names if measure not in of_others and _is_of(str(name), measure)]
            yield from (Lead(what, str(name), *at) for name in dict.fromkeys(shown))  # type: ignore[arg-type]


def _is_of(name: str, measure: str | None) -> bool:
    """Return whether the record `name` contributes to a measure; for example, a fill does not add to credits."""
    return measure not in _BY_SLIPS or name.startswith(measure.removesuffix("s_cents"))


async def _summed(books: Books, because: Aggregate) -> Sequence[EntryBehind]:
    """Return the entries that an aggregate sums, each with its value of the measure, in the order of recording."""
    books = books if because.known_at is None else books.known_at(because.known_at)
    wanted = dict(because.where)
    dimensions = AMOUNT_DIMENSIONS if because.book == "amounts" else (*ROUND_DIMENSIONS, "dealer", "category")
    conditions = "".join(f' AND "{name}"::text = :w_{name}' for name in dimensions if name in wanted)
    handed: dict[str, Any] = {}
    if HANDOVER_SHIFT in wanted:
        conditions += f" AND {SHIFT_BY_HANDOVER} = :w_{HANDOVER_SHIFT}"
        handed = await books.handed_over(because.first, because.last)
    [measure] = because.measures
    if because.closed is not None:
        conditions += " AND closed_at > :after AND closed_at <= :until"
    match because.book:
        case "amounts":
            query = AMOUNT_ENTRIES
        case "played":
            value, which = _PLAYED[measure]
            query = PLAYED_ENTRIES.replace("{value}", value).replace("{which}", which)
        case "rounds" if measure == "chips_cents":
            query = CHIPS_ENTRIES
        case "rounds" if measure in FIGURES:
            query = ROUND_ENTRIES.replace("{index}", str(FIGURES.index(measure) + 1))
        case _:
            query = LINE_ENTRIES.replace(
                "{index}", str(("lines", "stakes").count(measure) or LINE_FIGURES.index(measure) + 1)
            )
            conditions += " AND stake <> 0" if measure in STAKES else ""
    parameters = {
        "first": because.first,
        "last": because.last,
        "measure": measure,
        **dict(zip(("after", "until"), because.closed or (), strict=False)),
        **{f"w_{name}": value for name, value in wanted.items()},
        **handed,
    }
    statement = text(query.replace("{where}", conditions))
    used = {name: value for name, value in parameters.items() if f":{name}" in str(statement)}
    return [_entry(row._mapping, measure) for row in await books.read(statement, **used)]


def _entry(row: RowMapping, measure: str) -> EntryBehind:
    unit = NANOCENTS if measure.endswith(_NANOCENTS) else 1
    measure = measure.removesuffix(_NANOCENTS) + "_cents" if unit > 1 else measure
    return EntryBehind(**{**row, "value": Fraction(int(row["value"]), unit), "measure": measure})
