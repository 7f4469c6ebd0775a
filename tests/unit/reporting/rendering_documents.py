"""Documents to be rendered, for tests: one of a pit's tables, and any."""

from datetime import UTC, date, datetime
from typing import Any

from hypothesis import strategies as st

from services.reporting.framework.document import (
    Column,
    Document,
    Filled,
    Header,
    Identity,
    Mark,
    Section,
    Unit,
    fill,
)
from services.reporting.framework.figures import Cell, Figure, Value
from shared.contracts.exact import exact_text
from shared.contracts.reports import Reached

KNOWN_AT = datetime(2026, 11, 21, 6, 0, 0, 250_000, tzinfo=UTC)

TABLES = Section(
    name="tables",
    title="Tables",
    key=("table",),
    columns=(
        Column(name="table", title="Table"),
        Column(name="day", title="Gaming day", unit="day"),
        Column(name="drop_cents", title="Drop", unit="cents", formula="what the box held", source="§ 1", added=True),
        Column(name="win_cents", title="Win or loss", unit="cents", formula="closer less opener", added=True),
        Column(name="hold_percent", title="Hold", unit="percent"),
        Column(name="rounds", title="Rounds", unit="count", added=True),
        Column(name="meter_exact_cents", title="Meter", unit="exact_cents"),
        Column(name="counted_at", title="Counted at", unit="moment"),
        Column(name="remark", title="Remark"),
    ),
)

SLIPS = Section(
    name="slips",
    title="Fills/Credits",
    key=("slip",),
    columns=(
        Column(name="slip", title="Slip"),
        Column(name="amount_cents", title="Amount", unit="cents", added=True),
    ),
)

AWKWARD = 'said, "void"\nand =SUM(A1) #strong[x] $y$ \\ <b>'


def header(**changes: Any) -> Header:
    """The header of a preliminary master game report."""
    said: dict[str, Any] = {
        "report": "master-game",
        "title": "Master Game Report",
        "property": "riverside",
        "property_title": "Riverside & Sons",
        "jurisdiction": "us-pa",
        "period": "day",
        "first_day": date(2026, 11, 20),
        "last_day": date(2026, 11, 20),
        "stage": "preliminary",
        "version": 1,
        "known_at": KNOWN_AT,
        "generated_by": "audit.kim",
        "system_version": "0.1.0",
        "input_open": 4,
        "exceptions_open": 3,
        "through": [Reached(service="round-settlement", shard=1, seq=4711, missing=2)],
    }
    return Header(**(said | changes))


def tables_of(rows: int) -> Filled:
    """A section of tables BJ-001 and on, with a total."""
    return fill(
        TABLES,
        [
            {
                "table": f"BJ-{at:03}",
                "day": date(2026, 11, 20),
                "drop_cents": Figure(1_234_501 * at),
                "win_cents": Figure(99_999 - 50_001 * at),
                "hold_percent": Cell("-3.07" if at > 1 else "12.50"),
                "rounds": Figure(1000 + at),
                "meter_exact_cents": f"{at}.000000001",
                "counted_at": datetime(2026, 11, 21, 5, at % 60, 2, tzinfo=UTC),
                "remark": AWKWARD if at == 1 else "=1+1" if at == 2 else None,
            }
            for at in range(1, rows + 1)
        ],
        hold_percent=Cell("4.44"),
    )


def report(rows: int = 3, **changes: Any) -> Document:
    """The master game report of so many tables, with two slips; one identity fails, one value is unconfirmed."""
    slips = fill(SLIPS, [{"slip": "F-1", "amount_cents": Figure(50_000)}, {"slip": "C-1", "amount_cents": Figure(-5)}])
    return Document(
        header(**changes),
        (tables_of(rows), slips),
        identities=(
            Identity("slips", Figure(49_995), Figure(49_995), "The slips are what the cage gave."),
            Identity("rounds", Figure(7), Figure(8), "Each round is counted once.", unit="count"),
        ),
        marks=(Mark("rate of tax", "§ 2, unofficial copy", "Counsel has not confirmed it.", ("tables/win_cents",)),),
        signatures=("Prepared by", "Controller"),
    )


UNITS: tuple[Unit, ...] = ("text", "day", "moment", "cents", "exact_cents", "count", "decimal", "percent")
_TEXTS = st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs", "Cn"]) | st.sampled_from("=+-@'\n,\""))
_BIG = st.integers(-(2**62), 2**62) | st.integers(-(10**9), 10**9)
_HUNDREDTHS = st.integers(-(10**6), 10**6).map(lambda n: f"{'-' * (n < 0)}{abs(n) // 100}.{abs(n) % 100:02}")
_MOMENTS = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
VALUES: dict[Unit, st.SearchStrategy[Value]] = {
    "text": _TEXTS,
    "day": st.dates(date(2000, 1, 1), date(2100, 1, 1)),
    "moment": _MOMENTS.map(lambda moment: moment.replace(microsecond=0)),
    "cents": _BIG,
    "exact_cents": st.integers(-(10**30), 10**30).map(exact_text),
    "count": _BIG,
    "decimal": _HUNDREDTHS,
    "percent": _HUNDREDTHS,
}


@st.composite
def any_documents(draw: st.DrawFn, units: tuple[Unit, ...] = UNITS) -> Document:
    """Documents of up to three sections with columns of any units and rows of any values."""
    sections = []
    for number in range(draw(st.integers(1, 3))):
        chosen = draw(st.lists(st.sampled_from(units), max_size=8))
        columns = [
            Column(name=f"column_{at}", title=f"Column {at}", unit=unit, added=unit in {"cents", "count"})
            for at, unit in enumerate(chosen)
        ]
        section = Section(
            name=f"section-{number}",
            title=draw(_TEXTS),
            columns=(Column(name="row", title="Row"), *columns),
            key=("row",),
        )
        rows = [
            dict[str, Value](row=f"row {at}", **{one.name: draw(st.none() | VALUES[one.unit]) for one in columns})
            for at in range(draw(st.integers(0, 4)))
        ]
        sections.append(fill(section, rows))
    return Document(header(), tuple(sections))
