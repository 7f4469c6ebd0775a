"""The reports of the demo's day: tax due, and the files that reporting delivers after the seal."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from tempfile import mkdtemp
from typing import Any, Final

from rich.console import RenderableType

from services.cli.demo.pit import REPORTING, People
from services.cli.exits import NotFound
from services.cli.output import heading, names, numbers, table, words
from shared.contracts.money import dollars
from shared.runtime.retrying import wait_while

_DELIVERED: Final = "*:csv,master-game:pdf+xlsx,tax:pdf"
_SECONDS_MAX: Final = 120.0
_POLL_SECONDS: Final = 0.2

Document = Mapping[str, Any]


@contextmanager
def delivery(folder: Path | None) -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield the folder for the day's reports, by default a new, persistent folder, and the settings for delivery."""
    target = Path(mkdtemp(prefix="pitledger-reports-")) if folder is None else folder.resolve()
    yield (
        target,
        {
            "PITLEDGER_REPORTS_STORE": str(target),
            "PITLEDGER_REPORTS": _DELIVERED,
            "PITLEDGER_REPORTS_DELAY_SECONDS": "1",
        },
    )


def wait_for_delivery(people: People, folder: Path) -> int:
    """Wait until the day is delivered; return the number of its files. Raises: NotFound on timeout."""

    def is_awaited() -> bool:
        people.at(REPORTING)  # raises where the stack has ended
        return not any((folder / "manifests").glob("*.note"))

    if wait_while(is_awaited, seconds_max=_SECONDS_MAX, pause_seconds=_POLL_SECONDS):
        raise NotFound(f"no reports in {folder} after {_SECONDS_MAX:g} s; see the log of {REPORTING}")
    return sum(path.is_file() for path in folder.rglob("*") if path.suffix != ".note")


def read_tax(people: People, property_name: str, gaming_day: date) -> Document:
    """Return the tax report of a gaming day."""
    return people.at(REPORTING).read("/reports/tax", property=property_name, gaming_day=gaming_day.isoformat())


def tax_tables(tax: Document) -> Iterator[RenderableType]:
    """Yield the tax due on the day's revenue, and its unconfirmed rates."""
    sections = {section["name"]: section for section in tax["content"]["sections"]}
    yield heading(f"Tax on the day's gross table game revenue under the law of {tax['jurisdiction']}, {tax['stage']}")
    yield table(
        names("Layer") + words("Payee", "Source") + numbers("Rate", "Base", "Tax") + names("Status"),
        [
            [
                row["layer"].replace("_", " "),
                row["payee"],
                row["source"],
                row["rate"],
                amount(row["base_cents"]),
                amount(row["amount_cents"]),
                row["status"],
            ]
            for row in sections["layers"]["rows"]
        ],
    )
    due = sections["due"]["total"]["due_cents"]
    yield f"Due for the day: {amount(due)}"


def amount(cents: int | None) -> str:
    """Return an amount in dollars, or an empty text for None."""
    return "" if cents is None else dollars(cents)
