"""`pitledger spark hits`: how often rows of paytables were hit in archived rounds, and how often they should be."""

from collections import defaultdict
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from services.cli.archive.options import StorePlace
from services.cli.archive.sql import write_answer
from services.cli.output import AsJson, message
from services.cli.spark.options import Alone, Conf, First, Form, Last, Master, Output, Properties, reading_of
from services.cli.spark.submissions import Submissions, archived_submissions, read_approved

if TYPE_CHECKING:
    from shared.contracts.submissions import SubmissionApproved
    from shared.rules import Returns

_KEY: Final = "property, game, version, submission, wager, category"

HITS: Final = f"""
    SELECT /*+ BROADCAST(reversed) */ {_KEY}, CAST(sum(lines) AS BIGINT) AS lines
    FROM counted ANTI JOIN reversed USING (property, gaming_day, table_name, round_id, revision)
    GROUP BY {_KEY} ORDER BY {_KEY}"""  # noqa: S608 - our own names
"""The statement about `counted` and `reversed`, for every engine."""

COLUMNS: Final = (
    "property",
    "game",
    "version",
    "wager",
    "row",
    "wagers",
    "hits",
    "expected_hits",
    "probability",
    "too_often",
)


def hits(
    submissions: Submissions = None,
    store: StorePlace = None,
    first: First = None,
    last: Last = None,
    properties: Properties = None,
    master: Master = "local[*]",
    conf: Conf = None,
    alone: Alone = False,
    form: Form = "table",
    output: Output = None,
    as_json: AsJson = False,
) -> None:
    """Count how often paytable rows were hit in archived rounds, beside their exact probabilities.

    For wagers that the cards alone decide and that are made before any card is seen, as in the report `statistics`:
    wagers, hits, the expected hits, and the binomial probability of as many or more. `too_often` is yes if that is
    below the false-alarm rate, shared by the wager's rows; it is valid for one look at a closed period. Submissions
    come from the registry's archived journal, and from --submission.

    Example: pitledger spark hits --store /mnt/archive --first 2025-01-01 --last 2025-12-31 --as csv
    """
    reading = reading_of(store, first, last, properties, master, conf, alone)
    import pyarrow as pa

    from services.cli.spark.archive import reading_engine
    from services.cli.spark.rounds import POSTED, REVERSED, CountHits, ReversedRevisions

    given = [read_approved(file) for file in submissions or ()]
    with reading_engine(reading) as (archive, engine):
        engine.declare("counted", CountHits(), POSTED)
        engine.declare("reversed", ReversedRevisions(), REVERSED)
        counted = engine.answer(HITS).to_pylist()
        approved = [*archived_submissions(archive), *given]
    known = {(one.property, one.game, one.version, one.hash) for one in approved}
    unknown = sum(row["lines"] for row in counted if _named(row) not in known)
    if unknown:
        message(f"{unknown:,} lines are left out, for nobody gave the submissions under which they were settled")
    rows = list(against_probabilities(counted, approved))
    schema = pa.schema(
        [(name, pa.int64() if name in ("version", "wagers", "hits") else pa.string()) for name in COLUMNS]
    )
    answer = pa.Table.from_pylist([dict(zip(COLUMNS, row, strict=True)) for row in rows], schema)
    write_answer(answer, "json" if as_json else form, output)


_Named = tuple[str, str, int, str]


def _named(row: dict[str, Any]) -> _Named:
    return row["property"], row["game"], row["version"], row["submission"]


def against_probabilities(
    counted: Iterable[dict[str, Any]], approved: Iterable["SubmissionApproved"]
) -> Iterator[tuple[Any, ...]]:
    """Yield the values of COLUMNS for each row of a paytable, in the order of property, game, version, wager and row.

    `counted` has the number of lines by submission, wager and category ('' for none). Each submission is taken once.
    """
    from services.reporting.domain.statistics import rows_too_often

    lines: defaultdict[_Named, dict[tuple[str, str], int]] = defaultdict(dict)
    for row in counted:
        lines[_named(row)][row["wager"], row["category"]] = row["lines"]
    documents = {(one.property, one.game, one.version, one.hash): one for one in approved}
    for name in sorted(documents.keys() & lines.keys()):
        of_submission = lines[name]
        for wager, (exact, bonus_lines) in sorted(_exact(documents[name]).items()):
            number = sum(count for (line, _), count in of_submission.items() if line == wager)
            found: defaultdict[str, int] = defaultdict(int)
            for (line, category), count in of_submission.items():
                if category and line in (wager, *bonus_lines):
                    found[category] += count
            if not number:
                continue
            capped = {category: min(count, number) for category, count in found.items()}
            for category, finding in sorted(rows_too_often(exact, capped, number).items()):
                expected = f"{float(exact.probability(category) * number):.2f}"
                too_often = "yes" if finding.alarm else ""
                figures = (number, found[category], expected, f"{finding.statistic:.2g}", too_often)
                yield *name[:3], wager, category, *figures


def _exact(approved: "SubmissionApproved") -> dict[str, tuple["Returns", tuple[str, ...]]]:
    """Return wager -> (exact distribution, lines without a stake that it earns).

    Wagers that are always on offer, such as Insurance, are made after cards are seen and have none.
    """
    from shared.rules import Refused, returns
    from shared.rules.catalogue import catalogue
    from shared.rules.submission import select

    found = {}
    for wager, offer in select(catalogue(approved.regulation), approved.submission).offers.items():
        if offer.wager.offered == "always":
            continue
        bonus = tuple(dict.fromkeys(row.line for row in offer.paytable.rows if row.line is not None and row.of))
        try:
            found[wager] = returns(approved.regulation, wager, approved.submission), bonus
        except Refused:
            continue  # it depends on how hands are played, or on a meter
    return found
