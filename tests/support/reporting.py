"""Reporting on a database, without a broker: what a test lets it read, and what its reports say."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from decimal import Decimal
from itertools import count
from typing import Any
from urllib.parse import quote

import httpx

from services.reporting.ingest.progress import PROGRESS
from services.reporting.manifest import MANIFEST
from services.reporting.reports import REPORTS
from services.reporting.watch import observe
from shared.contracts.journal_facts import QuarantineDismissed
from shared.journal.recording import FactWithPostings
from shared.runtime.commands.command import Accepted, Command, Commands, Now
from tests.support.desk import Desk, Message, desk_of
from tests.support.properties import property_event
from tests.support.rounds import submission
from tests.unit.reporting.entries import CORRECTION, DAY, NOON, Shard, day_closed

PEOPLE = {
    "audit.kim": ["reports.read"],
    "cage.lou": ["patrons.report"],
    "care.una": ["patrons.report"],
    "title31.eve": ["patrons.report"],
    "title31.sam": ["patrons.report"],
    "games.ray": ["submissions.file"],
    "watch.prom": ["metrics.read"],
}


class DismissOwn(Command):
    """Record that a quarantined record of reporting's own input is dismissed."""

    quarantine: int
    shard: int
    seq: int


COMMANDS = Commands()
"""What puts into reporting's journal what somebody else decides there: its quarantine."""


@COMMANDS.handles(DismissOwn)
def dismiss_own(command: DismissOwn, state: None, now: Now) -> Accepted:
    """Record the dismissal."""
    del state, now
    place = {"topic": "settlements", "partition": 0, "offset": 0}
    fact = QuarantineDismissed.model_validate(command.model_dump() | place | {"request": 1, "correction": CORRECTION})
    return Accepted(recording=FactWithPostings(fact=fact), answer={})


@dataclass(frozen=True, kw_only=True)
class Books(Shard):
    """A shard of the settlement journal and what the reports make of it."""

    desk: Desk
    sequences: Iterator[int] = field(default_factory=lambda: count(1))

    def publish(self, *events: Message) -> None:
        """Let it read settlement entries, as one batch."""
        self.desk.feed("settlements", *events)

    def close(self, status: str, **how: Any) -> None:
        """Close a gaming day one step further."""
        self.desk.feed("inventory", day_closed(next(self.sequences), status, **how))

    def submit(self, version: int = 1, **selected: Any) -> dict[str, Any]:
        """Let it read a rules submission of this property; return what rounds name."""
        approved = submission(
            next(self.sequences), property=self.property_name, version=version, submission={"decks": 6} | selected
        )
        self.desk.feed("submissions", approved)
        return {"version": version, "hash": approved["data"]["hash"]}

    def read_until(self, moment: datetime) -> None:
        """Note that nothing recorded before the moment waits; reports of sealed days wait for half a minute more."""
        self.desk.client.run(PROGRESS.note(replace(self.desk.context, clock=lambda: moment)))

    def dismiss(self, shard: int, seq: int) -> None:
        """Dismiss a record of reporting's own quarantine, by its entry."""
        command = DismissOwn(quarantine=1, shard=shard, seq=seq)
        self.desk.client.run(self.desk.context.commands.do(command, person="floor.lee", key="k-1"))

    # --- reports ---

    def path(self, report: str = "win-as-settled", more: str = "") -> str:
        """Return the path of a report about the day."""
        return f"/reports/{report}?property={self.property_name}&gaming_day={DAY}{more}"

    def get(self, path: str, *, person: str | None = "audit.kim", **headers: str) -> httpx.Response:
        """Read something."""
        return self.desk.get(path, person=person, **headers)

    def report(self, name: str, more: str = "") -> dict[str, Any]:
        """Return a report of the day, in which every total is the sum of the rows."""
        report = self._read(self.path(name, more))
        assert [] == list(wrong_totals(name, report))
        return report

    def explain(self, name: str, cell: str, more: str = "") -> dict[str, Any]:
        """Return the entries behind a cell of a report of the day."""
        return self._read(self.path(f"{name}/entries", f"{more}&cell={quote(cell)}"))

    def settled(self, more: str = "") -> dict[str, Any]:
        """Return the win as settled."""
        return self.report("win-as-settled", more)

    def exceptions(self, more: str = "") -> list[dict[str, Any]]:
        """Return the exceptions of this property and day, and those of none that is known, oldest first."""
        sections = {
            section["name"]: section["rows"] for section in self.report("exceptions", more)["content"]["sections"]
        }
        rows = [*sections["open"], *sections["over"]]
        return sorted(rows, key=lambda row: (row["since"], row["entry"], row["number"]))

    def _read(self, path: str) -> dict[str, Any]:
        answer = self.get(path)
        assert answer.status_code == httpx.codes.OK, answer.text
        report: dict[str, Any] = answer.json()
        return report


@contextmanager
def books_of(url: str) -> Iterator[Books]:
    """Give the service on a database, with nothing read yet."""
    manifest = replace(MANIFEST, commands=COMMANDS)
    with desk_of(manifest, url, people=PEOPLE, clock=lambda: NOON + timedelta(hours=1)) as desk:
        books = Books(desk=desk)
        desk.feed(
            "properties", *(property_event(name, sequence=n) for n, name in enumerate(("riverside", "lakeside"), 1))
        )
        yield books


def figure_of(books: Books, name: str, later: timedelta = timedelta(), **labels: str) -> float | None:
    """Return a metric that the service watches, of money or not, some time later; None where it is not shown."""
    context = replace(books.desk.context, clock=lambda: books.desk.context.clock() + later)

    async def watch() -> None:
        async with context.pools.background.connect() as connection:
            await observe(context, connection)

    books.desk.client.run(watch())
    metrics = context.metrics
    found = metrics.registry.get_sample_value(name, labels)
    return metrics.business.get_sample_value(name, labels) if found is None else found


def wrong_totals(name: str, report: Mapping[str, Any]) -> Iterator[str]:
    """Yield the totals of a report that are not the sums of its rows, of columns that are added up."""
    said = {section["name"]: section for section in report["content"]["sections"]}
    for section in REPORTS[name].sections:
        found = said[section.name]
        added = [column for column in section.columns if column.added]
        for column in added if "cut_from" not in found else ():
            values = [row[column.name] for row in found["rows"] if row[column.name] is not None]
            together = sum(map(Decimal, values))
            if together != Decimal(found["total"][column.name]):
                yield f"{section.name}/{column.name}: {found['total'][column.name]} for {together}"


def rows_of(report: Mapping[str, Any], section: str) -> list[dict[str, Any]]:
    """Return the rows of a section."""
    rows: list[dict[str, Any]] = _section(report, section)["rows"]
    return rows


def total_of(report: Mapping[str, Any], section: str) -> dict[str, Any]:
    """Return the total row of a section."""
    total: dict[str, Any] = _section(report, section)["total"]
    return total


def _section(report: Mapping[str, Any], section: str) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {one["name"]: one for one in report["content"]["sections"]}
    return found[section]


def held(report: Mapping[str, Any]) -> dict[str, bool]:
    """Return whether each identity of a report holds, by its name."""
    return {one["name"]: one["holds"] for one in report["content"]["identities"]}


def identities_of(report: Mapping[str, Any]) -> dict[str, tuple[int, int]]:
    """Return both sides of what must hold in a report, by its name."""
    return {one["name"]: (one["left"], one["right"]) for one in report["content"]["identities"]}


def names(document: Mapping[str, Any], *wanted: str) -> tuple[Any, ...]:
    """Return some members of a document."""
    return tuple(document[name] for name in wanted)
