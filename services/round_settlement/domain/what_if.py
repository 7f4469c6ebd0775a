"""What-if: settle recorded rounds under another rules submission, with the same cards and decisions. Pure; cents."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any, Final, Self

from pydantic_core import from_json

from services.round_settlement.domain.money import totals_of
from shared.contracts.submissions import RulesSubmission
from shared.contracts.wager_totals import Figures, WagerTotals
from shared.rules import Refused, compile_rules, parse_round

FIGURES: Final = ("handle_cents", "payout_cents", "win_cents")
"""The compared figures: handle, payout, and win before meters."""


_VALUE: Final = re.compile(r"(?<=' )\d+")
"""A number after a quoted name in a reason. It is masked, so that rounds refused for the same reason count together."""

_NOTHING: Final = dict.fromkeys(Figures.model_fields, 0)


@dataclass(slots=True)
class Sums:
    """Sums of the FIGURES, in their order: as recorded, and as settled under the other submission; cents."""

    recorded: list[int] = field(default_factory=lambda: [0] * len(FIGURES))
    other: list[int] = field(default_factory=lambda: [0] * len(FIGURES))

    @property
    def difference(self) -> list[int]:
        """Return the figures under the other submission less the recorded ones."""
        return [other - recorded for recorded, other in zip(self.recorded, self.other, strict=True)]

    def __iadd__(self, more: "Sums") -> "Sums":
        for mine, theirs in ((self.recorded, more.recorded), (self.other, more.other)):
            for place, value in enumerate(theirs):
                mine[place] += value
        return self

    def as_document(self) -> dict[str, dict[str, int]]:
        """Return the figures as JSON."""
        sides = {"recorded": self.recorded, "other": self.other, "difference": self.difference}
        return {side: dict(zip(FIGURES, values, strict=True)) for side, values in sides.items()}


@dataclass(frozen=True, slots=True)
class TableDay:
    """A table's gaming day: the number of posted rounds, and `places`, the sum of their entries' sequences.

    A change to the rounds changes `places`, which invalidates the stored result.
    """

    gaming_day: date
    table: str
    rounds: int
    places: int


@dataclass(frozen=True, slots=True)
class Outcome:
    """The what-if result of a table's gaming day: sums by wager, and the number of refused rounds by reason.

    Refused rounds cannot be settled under the other submission, and are excluded from the sums.
    """

    of: TableDay
    wagers: dict[str, Sums]
    refused: Counter[str]

    def as_document(self) -> dict[str, Any]:
        """Return the result as JSON, which `of_document` reads."""
        sums = {wager: [one.recorded, one.other] for wager, one in self.wagers.items()}
        about = [self.of.gaming_day.isoformat(), self.of.table, self.of.rounds, self.of.places]
        return {"of": about, "wagers": sums, "refused": dict(self.refused)}

    @classmethod
    def of_document(cls, said: Mapping[str, Any]) -> Self:
        """Return the result from its JSON."""
        day, table, rounds, places = said["of"]
        wagers = {wager: Sums(*both) for wager, both in said["wagers"].items()}
        return cls(TableDay(date.fromisoformat(day), table, rounds, places), wagers, Counter(said["refused"]))


@dataclass(slots=True)
class Compared:
    """The results of several gaming days and tables, added up.

    `refused` is the number of rounds that cannot be settled, by reason.
    """

    rounds: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    total: Sums = field(default_factory=Sums)
    wagers: dict[str, Sums] = field(default_factory=dict)
    tables: dict[str, Sums] = field(default_factory=dict)
    days: dict[str, Sums] = field(default_factory=dict)

    @classmethod
    def of(cls, outcomes: Iterable[Outcome]) -> Self:
        """Add up results."""
        found = cls()
        for outcome in sorted(outcomes, key=lambda one: (one.of.gaming_day, one.of.table)):
            found.rounds += outcome.of.rounds
            found.refused += outcome.refused
            for wager, sums in outcome.wagers.items():
                found.total += sums
                for by, name in (
                    (found.wagers, wager),
                    (found.tables, outcome.of.table),
                    (found.days, outcome.of.gaming_day.isoformat()),
                ):
                    one = by.setdefault(name, Sums())
                    one += sums
        return found

    def sections(self) -> Iterator[tuple[str, dict[str, Sums]]]:
        """Yield (`wager`, `table` or `gaming_day`, sums by key, sorted) for each of these three sections."""
        for name, by in (("wager", self.wagers), ("table", self.tables), ("gaming_day", self.days)):
            yield name, dict(sorted(by.items()))

    def as_document(self, wanted: RulesSubmission, first: date, last: date) -> dict[str, Any]:
        """Return the comparison as JSON, with the submission and gaming days that were requested."""
        return {
            "property": wanted.property,
            "game": wanted.game,
            "regulation": wanted.regulation,
            "first": first.isoformat(),
            "last": last.isoformat(),
            "rounds": self.rounds,
            "refused": dict(self.refused),
            "total": self.total.as_document(),
            **{
                f"by_{name}": [{name: key, **sums.as_document()} for key, sums in by.items()]
                for name, by in self.sections()
            },
        }


class Alternative:
    """Another rules submission, ready to settle recorded rounds of the same game."""

    def __init__(self, wanted: RulesSubmission) -> None:
        """Compile the submission. Raises: Refused if the regulation does not allow its selections."""
        self._regulation = wanted.regulation
        self._rules = compile_rules(wanted.regulation, wanted.submission)

    def settle(self, of: TableDay, posted: Sequence[str]) -> Outcome:
        """Return the what-if result of a table's gaming day; `posted` has the JSON data of each settlement entry."""
        wagers: dict[str, Sums] = {}
        refused: Counter[str] = Counter()
        for data in posted:
            try:
                sums = self.settle_round(from_json(data))
            except Refused as error:
                refused[countable_reason(error)] += 1
                continue
            for wager, one in sums.items():
                added = wagers.setdefault(wager, Sums())
                added += one
        return Outcome(of, wagers, refused)

    def settle_round(self, said: Mapping[str, Any]) -> dict[str, Sums]:
        """Return the figures of one round by wager; `said` has the data of its settlement entry.

        Raises: Refused if the other submission does not allow the round.
        """
        other = self._other(said)
        wagers: dict[str, Sums] = {}
        for total in said["totals"]:
            figures = WagerTotals.construct_unvalidated({**_NOTHING, **total})
            _add(wagers.setdefault(figures.wager, Sums()).recorded, figures)
        for figures in other:
            _add(wagers.setdefault(figures.wager, Sums()).other, figures)
        return wagers

    def _other(self, said: Mapping[str, Any]) -> tuple[WagerTotals, ...]:
        if said["regulation"] != self._regulation:
            raise Refused(f"the round is one under {said['regulation']}, not under {self._regulation}")
        return totals_of(self._rules.settle(parse_round(self._regulation, said["record"])), {})


def countable_reason(error: Refused) -> str:
    """Return why a round was refused, with wagered values masked: rounds refused for one reason count together."""
    return _VALUE.sub("…", error.reason)


def _add(figures: list[int], total: WagerTotals) -> None:
    for place, value in enumerate((total.handle_cents, total.payout_cents, total.win_cents)):
        figures[place] += value
