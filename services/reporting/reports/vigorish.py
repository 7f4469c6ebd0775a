"""Vigorish: amounts assessed by rounds, with rate and rounding, and collected, waived or returned at tables."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from services.reporting.framework.definition import Content, Report
from services.reporting.framework.document import Column, Filled, Identity, Mark, Section, fill
from services.reporting.framework.figures import NOTHING, Cell, Figure, Value
from services.reporting.read_model.reading import Books
from services.reporting.read_model.vigorish import ASSESSED, Act, Line
from services.reporting.reports.common.cells import PITS_OF_TABLE, entry_cell, exact, in_nanocents, sum_of, total_of
from shared.contracts.settlements import SettlementPosted, SettlementReversed
from shared.contracts.vigorish import (
    VigorishAssessed,
    VigorishCollection,
    VigorishReturn,
    VigorishTakenBack,
    VigorishWaiver,
)

_SETTLED: Final = ("vigorish_collected_cents", "vigorish_not_collected_cents", "vigorish_returned_cents")

_ASSESSED: Final = (
    Column(
        name="lines",
        title="Settlement lines",
        unit="count",
        added=True,
        formula="settlement lines that assessed vigorish",
    ),
    Column(name="stake_cents", title="Wagered", unit="cents", added=True, formula="stakes of these lines"),
    Column(
        name="base_cents", title="Base", unit="cents", added=True, formula="amount won on which vigorish is assessed"
    ),
)
_MADE: Final = (
    Column(name="assessed_cents", title="Assessed", unit="cents", added=True),
    Column(
        name="rounding_cents",
        title="Rounding",
        unit="exact_cents",
        added=True,
        formula="assessed - rate x base, to fractions of a cent",
    ),
)

TABLES: Final = Section(
    name="tables",
    title="By game, table and debtor",
    key=("game", "table", "owed_by"),
    columns=(
        Column(name="game", title="Game"),
        PITS_OF_TABLE,
        Column(name="table", title="Table"),
        Column(name="owed_by", title="Owed by", formula="the bank and co-banks, or players"),
        *_ASSESSED,
        *_MADE,
        Column(name="collected_cents", title="Collected", unit="cents", added=True),
        Column(name="waived_cents", title="Waived", unit="cents", added=True),
        Column(name="returned_cents", title="Returned", unit="cents", added=True, formula="given back to players"),
        Column(
            name="outstanding_cents",
            title="Outstanding",
            unit="cents",
            added=True,
            formula="assessed - collected - waived + returned; negative: collected more than assessed",
        ),
    ),
)
_BY_WHOM: Final = (
    Column(
        name="assessed_cents",
        title="Assessed",
        unit="cents",
        added=True,
        formula="vigorish of settled rounds, assigned by the time at which the round closed",
    ),
    Column(
        name="collected_cents",
        title="Collected",
        unit="cents",
        added=True,
        formula="as the table reported, assigned by the time of collection",
    ),
    Column(name="waived_cents", title="Waived", unit="cents", added=True),
    Column(name="returned_cents", title="Returned", unit="cents", added=True),
)
SHIFTS: Final = Section(
    name="shifts",
    title="By table and shift",
    key=("table", "shift"),
    columns=(
        Column(name="table", title="Table"),
        Column(name="shift", title="Shift", formula="by the property's clock"),
        *_BY_WHOM,
    ),
)
DEALERS: Final = Section(
    name="dealers",
    title="By dealer",
    key=("dealer",),
    columns=(Column(name="dealer", title="Dealer", formula="empty: the dealer was not reported"), *_BY_WHOM),
)
RATES: Final = Section(
    name="rates",
    title="By rate and rounding",
    key=("game", "wager", "owed_by", "rate", "rounding"),
    columns=(
        Column(name="game", title="Game"),
        Column(name="wager", title="Wager"),
        Column(name="owed_by", title="Owed by"),
        Column(name="rate", title="Rate", formula="of the base", source="the jurisdiction's pack"),
        Column(name="rounding", title="Rounding rule", source="the rules submission"),
        *_ASSESSED,
        *_MADE,
        Column(
            name="disagreeing",
            title="Differing lines",
            unit="count",
            added=True,
            formula="lines whose settled vigorish differs from rate x base under the rounding rule",
        ),
    ),
)
DECISIONS: Final = Section(
    name="decisions",
    title="Waived and returned",
    key=("entry",),
    columns=(
        Column(name="gaming_day", title="Gaming day", unit="day"),
        Column(name="at", title="Time", unit="moment"),
        Column(name="table", title="Table"),
        Column(name="round_id", title="Round"),
        Column(name="seat", title="Seat", unit="count"),
        Column(name="owed_by", title="Owed by"),
        Column(name="waived_cents", title="Waived", unit="cents", added=True),
        Column(name="returned_cents", title="Returned", unit="cents", added=True),
        Column(name="by", title="Waived or returned by"),
        Column(name="reason", title="Reason"),
        Column(name="entry", title="Entry"),
    ),
)

_Row = dict[str, Value | Figure | Cell]
_Settled = Mapping[tuple[str, str, Act], Mapping[str, Figure]]
"""Amounts that tables collected, waived and returned, keyed by table, shift and act."""


async def _fill(books: Books) -> Content:
    assessed = {
        (table, Line.of_item(item)): measures
        for (table, item), measures in (await books.amounts(ASSESSED, ("table_name", "item"))).items()
        if books.question.game in (None, Line.of_item(item).game)
    }
    settled = {
        (table, shift, Act.of_item(item)): measures
        for (table, shift, item), measures in (await books.amounts(_SETTLED, ("table_name", "shift", "item"))).items()
        if books.question.game in (None, books.game_of(table))
    }
    tables = _tables(books, assessed, settled)
    of_shifts = await books.rounds(("table_name", "shift"), figures=("vigorish_cents",))
    of_dealers = await books.dealers(("dealer",), figures=("vigorish_cents",))
    return Content(
        (
            tables,
            fill(SHIFTS, _by_whom(("table", "shift"), of_shifts, settled, lambda table, shift, _: (table, shift))),
            fill(DEALERS, _by_whom(("dealer",), of_dealers, settled, lambda _table, _shift, act: (act.dealer,))),
            _rates(assessed),
            await _decisions(books),
        ),
        await _identities(books, tables),
        _marks(books, {line.rate for _, line in assessed}),
    )


def _tables(
    books: Books,
    assessed: Mapping[tuple[str, Line], Mapping[str, Figure]],
    settled: _Settled,
) -> Filled:
    groups: dict[tuple[str, str, str], list[Mapping[str, Figure]]] = {}
    for (table, line), measures in assessed.items():
        groups.setdefault((line.game, table, line.debtor), []).append(measures)
    for (table, _, act), measures in settled.items():
        groups.setdefault((books.game_of(table), table, act.debtor), []).append(measures)
    rows: list[_Row] = []
    for (game, table, debtor), found in sorted(groups.items()):
        collected, waived, returned = (sum_of(found, name) for name in _SETTLED)
        row = {"game": game, "pit": books.pits_of(table), "table": table, "owed_by": debtor} | _assessed(found)
        rows.append(
            row
            | {
                "collected_cents": collected,
                "waived_cents": waived,
                "returned_cents": returned,
                "outstanding_cents": sum_of(found, "vigorish_assessed_cents") - collected - waived + returned,
            }
        )
    return fill(TABLES, rows)


def _by_whom(
    names: tuple[str, ...],
    rounds: Mapping[tuple[str, ...], Mapping[str, Figure]],
    settled: _Settled,
    key_of: Callable[[str, str, Act], tuple[str, ...]],
) -> Iterator[_Row]:
    """Yield rows with the vigorish assessed, collected, waived and returned, grouped by key.

    `names` are the key columns. `key_of` returns the key for a table, shift and act. Rows without amounts are left out.
    """
    groups = {key: [figures] for key, figures in rounds.items() if figures["vigorish_cents"].value}
    for about, measures in settled.items():
        groups.setdefault(key_of(*about), []).append(measures)
    for key, found in sorted(groups.items()):
        collected, waived, returned = (sum_of(found, name) for name in _SETTLED)
        yield dict(zip(names, key, strict=True)) | {
            "assessed_cents": sum_of(found, "vigorish_cents"),
            "collected_cents": collected,
            "waived_cents": waived,
            "returned_cents": returned,
        }


def _rates(assessed: Mapping[tuple[str, Line], Mapping[str, Figure]]) -> Filled:
    groups: dict[Line, list[Mapping[str, Figure]]] = {}
    for (_, line), measures in assessed.items():
        groups.setdefault(line, []).append(measures)
    rows = (
        {
            **{name: getattr(line, name) for name in ("game", "wager", "owed_by", "rate", "rounding")},
            **_assessed(found),
            "disagreeing": sum_of(found, "vigorish_disagreeing"),
        }
        for line, found in sorted(groups.items())
    )
    return fill(RATES, rows)


async def _decisions(books: Books) -> Filled:
    listed = await books.facts(VigorishWaiver, VigorishReturn)
    rows: list[_Row] = []
    for one in listed:
        fact, because = one.fact, (one.entry,)
        if books.question.game not in (None, books.game_of(fact.table)):
            continue
        column = "waived_cents" if isinstance(fact, VigorishWaiver) else "returned_cents"
        rows.append(
            {
                "gaming_day": one.gaming_day,
                "at": fact.at,
                "table": fact.table,
                "round_id": fact.round_id,
                "seat": fact.seat,
                "owed_by": "bank" if fact.bank else "player",
                column: Figure(fact.cents, because),
                "by": fact.by,
                "reason": fact.reason,
                "entry": entry_cell(one.entry),
            }
        )
    return fill(DECISIONS, rows)


async def _identities(books: Books, tables: Filled) -> tuple[Identity, ...]:
    rounds = (await books.rounds()).get((), {})
    found = {name: total_of(tables, name) for name in ("collected_cents", "waived_cents", "returned_cents")}
    kept = found["collected_cents"] + found["waived_cents"] - found["returned_cents"]
    return (
        Identity(
            "settled and assessed",
            rounds.get("vigorish_cents", NOTHING),
            kept + total_of(tables, "outstanding_cents"),
            "vigorish of the settled rounds equals collected + waived + outstanding - returned",
        ),
    )


def _marks(books: Books, rates: set[str]) -> tuple[Mark, ...]:
    dated = {
        f"rate of vigorish, {regulation}": provision.on(books.question.last)
        for regulation, provision in books.place.law.vigorish.items()
        if any(one.value in rates for one in provision.root)
    }
    return tuple(Mark(what, one.source, one.note or "") for what, one in dated.items() if one.status == "unconfirmed")


def _assessed(found: list[Mapping[str, Figure]]) -> _Row:
    return {
        "lines": sum_of(found, "vigorish_lines"),
        "stake_cents": sum_of(found, "vigorish_stake_cents"),
        "base_cents": sum_of(found, "vigorish_base_cents"),
        "assessed_cents": sum_of(found, "vigorish_assessed_cents"),
        "rounding_cents": _rounding(found),
    }


def _rounding(found: list[Mapping[str, Figure]]) -> Cell:
    return exact(in_nanocents(sum_of(found, "vigorish_assessed_cents")) - sum_of(found, "vigorish_exact_nanocents"))


VIGORISH: Final = Report(
    name="vigorish",
    title="Vigorish",
    about=(
        "Vigorish assessed by the rounds of each table, with rate and rounding rule, and vigorish collected, "
        "waived and returned by the tables; outstanding vigorish is not yet revenue in every jurisdiction."
    ),
    sections=(TABLES, SHIFTS, DEALERS, RATES, DECISIONS),
    sources=(
        *(VigorishAssessed, VigorishTakenBack, VigorishCollection, VigorishWaiver, VigorishReturn),
        *(SettlementPosted, SettlementReversed),
    ),
    fill=_fill,
    signatures=("Table games shift manager", "Revenue audit"),
)
