"""Sequential tests that continue across gaming days, evaluated once per day, and their alarms. Pure.

Each test is a bet against honest play; its wealth is the product of the contributions of all days, and no day's
contribution depends on earlier days. So when a day is restated, the wealth is divided by the day's old contribution and
multiplied by the new one, without reading the rounds of other days.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from math import log, log10
from typing import Final, Literal, NamedTuple

from pydantic_core import from_json

from services.reporting.domain.evidence import FALSE_ALARMS, Evidence, mean_of

Kind = Literal["hits", "row", "returns", "raised", "counts"]

THRESHOLD: Final = -log10(FALSE_ALARMS)
"""The statistic (common logarithm of the wealth) from which an alarm is raised."""


class Subject(NamedTuple):
    """The subject of a test, such as a table, seat, dealer or wager; an empty field stands for all of them.

    | kind | one test for each | evidence that |
    |---|---|---|
    | `hits` | wager and table, seat, or dealer | any row of the wager is hit too often |
    | `row` | wager and row | the row is hit too often |
    | `returns` | table and wager | the wager returns too much |
    | `raised` | table, seat and wager | raised stakes win more often than others |
    | `counts` | dealer | inaccurate counts are short too often |
    """

    kind: Kind
    table: str = ""
    seat: int = 0
    dealer: str = ""
    game: str = ""
    wager: str = ""
    row: str = ""


@dataclass(frozen=True, slots=True)
class Alarm:
    """An alarm of a test: the gaming day that raised it, the as-of time of that day, and the number of observations.

    `statistic` is the test statistic (common logarithm of the wealth) when the alarm was raised.
    """

    tested: Subject
    since: date
    raised_at: datetime
    n: int
    statistic: float

    @property
    def says(self) -> str:
        """Return a sentence for readers that states what the alarm's evidence suggests."""
        return _SAYS[self.tested.kind]


_SAYS: Final[dict[Kind, str]] = {
    "hits": "the wager is hit more often than the cards do it: who wagers may know cards",
    "row": "the row is hit more often than the cards do it",
    "returns": "the wager brings back more than the cards do",
    "raised": "stakes that are raised win more often than others: chips may be added after the outcome",
    "counts": "tables where this dealer dealt are short more often than honest mistakes make them",
}


@dataclass(frozen=True, slots=True)
class Carried:
    """The evidence accumulated over several days, by test subject, and all alarms raised, which are never removed."""

    evidence: Mapping[Subject, Evidence]
    alarms: tuple[Alarm, ...] = ()

    def after(
        self,
        day: date,
        at: datetime,
        added: Mapping[Subject, Evidence],
        instead_of: Mapping[Subject, Evidence] | None = None,
    ) -> "Carried":
        """Return the evidence and alarms after adding a gaming day's contribution, as of the time `at`.

        If the day was tested before, `instead_of` is its earlier contribution, which `added` replaces.
        """
        evidence = dict(self.evidence)
        for tested, before in (instead_of or {}).items():
            evidence[tested] = _with(evidence[tested], before, -1)
        for tested, new in added.items():
            evidence[tested] = _with(evidence.get(tested), new, 1)
        raised = {alarm.tested for alarm in self.alarms}
        alarms = [
            Alarm(tested, day, at, evidence[tested].n, statistic)
            for tested in sorted(added)
            if tested not in raised and (statistic := statistic_of(evidence[tested])) >= THRESHOLD
        ]
        return Carried(evidence, (*self.alarms, *alarms))


NOTHING: Final = Carried({})


def statistic_of(evidence: Evidence) -> float:
    """Return the test statistic: the common logarithm of the mean wealth of the bets."""
    return mean_of(evidence.wealths) / log(10)


def _with(evidence: Evidence | None, added: Evidence, sign: int) -> Evidence:
    before = evidence or Evidence(wealths=(0.0,) * len(added.wealths))
    wealths = tuple(one + sign * more for one, more in zip(before.wealths, added.wealths, strict=True))
    return Evidence(before.n + sign * added.n, wealths)


def evidence_as_text(evidence: Mapping[Subject, Evidence]) -> str:
    """Return evidence as JSON, ordered by subject, with logarithms rounded to six decimals and without `highest`.

    >>> found = {Subject("row", wager="royal_match_21", row="royal_match"): Evidence(2, (0.5, -1.25, 0.0))}
    >>> evidence_of_text(evidence_as_text(found)) == found
    True
    """
    rows = [[*tested, one.n, *(round(wealth, 6) for wealth in one.wealths)] for tested, one in sorted(evidence.items())]
    return json.dumps(rows, separators=(",", ":"))


def evidence_of_text(text: str) -> dict[Subject, Evidence]:
    """Return the evidence decoded from the JSON of `evidence_as_text`."""
    places = len(Subject._fields)
    return {Subject(*row[:places]): Evidence(row[places], tuple(row[places + 1 :])) for row in from_json(text)}


def alarms_as_text(alarms: Iterable[Alarm]) -> str:
    """Return alarms as JSON; `alarms_of_text` decodes it.

    >>> sealed = datetime.fromisoformat("2026-11-21T12:00:00+00:00")
    >>> alarms = (Alarm(Subject("counts", dealer="d-1"), date(2026, 11, 20), sealed, 20, 3.5),)
    >>> alarms_of_text(alarms_as_text(alarms)) == alarms
    True
    """
    return json.dumps(
        [
            [*alarm.tested, alarm.since.isoformat(), alarm.raised_at.isoformat(), alarm.n, alarm.statistic]
            for alarm in alarms
        ],
        separators=(",", ":"),
    )


def alarms_of_text(text: str) -> tuple[Alarm, ...]:
    """Return the alarms decoded from the JSON of `alarms_as_text`."""
    return tuple(
        Alarm(Subject(*tested), date.fromisoformat(since), datetime.fromisoformat(raised_at), n, statistic)
        for *tested, since, raised_at, n, statistic in json.loads(text)
    )


def summary_of(evidence: Mapping[Subject, Evidence]) -> dict[Kind, tuple[int, int]]:
    """Return the number of tests and the total number of their observations, by kind of test."""
    found: dict[Kind, tuple[int, int]] = {}
    for tested, one in evidence.items():
        tests, observations = found.get(tested.kind, (0, 0))
        found[tested.kind] = (tests + 1, observations + one.n)
    return dict(sorted(found.items()))


def false_alarms_expected(tests: int) -> Fraction:
    """Return an upper bound on the expected number of false alarms of this many tests, however long they run."""
    return tests * FALSE_ALARMS
