"""`pitledger whatif`: settle recorded rounds under another rules submission."""

import os
import sys
from calendar import monthrange
from contextlib import closing
from datetime import date
from pathlib import Path
from typing import Annotated, Final

import typer
from pydantic import ValidationError
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from services.cli.database import explained, with_connection
from services.cli.documents import read_document
from services.cli.environment import settings
from services.cli.exits import InputRefused, NotFound, UsageWrong
from services.cli.output import AsJson, console, heading, message, names, numbers, print_json, show, table
from services.cli.services import SETTLEMENT
from services.round_settlement.domain.what_if import Compared, Sums
from services.round_settlement.what_if import settle_again, table_days
from shared.contracts.money import dollars
from shared.contracts.submissions import RulesSubmission
from shared.rules import Refused
from shared.rules.errors import refused_by_validation
from shared.runtime.rederivation.replay_state import Busy, ReplayState

_SHOWN: Final = 10
"""Maximum number of reasons shown for rounds that cannot be settled; JSON has all."""


def whatif(
    file: Annotated[
        str,
        typer.Argument(metavar="FILE", help="File of the rules submission to settle under, YAML or JSON; - for stdin."),
    ],
    day: Annotated[str | None, typer.Option(metavar="DATE", help="Gaming day, YYYY-MM-DD.")] = None,
    month: Annotated[str | None, typer.Option(metavar="YYYY-MM", help="Month, YYYY-MM.")] = None,
    tables: Annotated[
        list[str] | None,
        typer.Option("--table", help="Only this table, which must be one of the submission's; may be repeated."),
    ] = None,
    processes: Annotated[
        int | None, typer.Option(min=1, help="Number of parallel processes (default: one per processor).")
    ] = None,
    resume: Annotated[
        Path | None, typer.Option(help="File that keeps the state of the run, so that it can be resumed.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Settle a gaming day or a month again under another rules submission; the books stay unchanged.

    Uses the recorded cards, wagers, decisions and meter readings. Compares handle, payout and the casino's win, without
    the effect of meters, by wager, table and gaming day. A round that the other submission does not allow, for example
    with a wager that it does not offer, is counted by reason and left out of all sums.

    Example: pitledger whatif submission.json --day 2026-11-20
    Example: pitledger whatif submission.json --month 2026-11 --table BJ-01 --resume november.whatif
    """
    wanted, (first, last) = read_submission(file), _period(day, month)
    listed = [name for name in wanted.tables if tables is None or name in tables]
    if unknown := set(tables or ()) - set(wanted.tables):
        raise UsageWrong(f"--table {min(unknown)}: the submission lists {', '.join(wanted.tables)}")
    days = with_connection(SETTLEMENT, lambda connection: table_days(connection, wanted, listed, first, last))
    if not days:
        raise NotFound(
            f"no round of {wanted.game} stands at {wanted.property} from {first} to {last} at {', '.join(listed)}"
        )
    url = settings().database_url.get_secret_value()
    try:
        with ReplayState(resume) as memory, _progress() as progress, explained(url):
            found = settle_again(url, wanted, days, memory, processes=processes or os.cpu_count() or 1)
            task = progress.add_task(wanted.game, total=sum(of.rounds for of in days))
            done = []
            with closing(found):
                for outcome in found:
                    done.append(outcome)
                    progress.advance(task, outcome.of.rounds)
    except Busy as error:
        raise UsageWrong(f"--resume {resume}: {error}; another run goes on with it") from error
    except Refused as error:
        raise InputRefused(f"{file}: {error}") from error
    compared = Compared.of(done)
    if as_json:
        print_json(compared.as_document(wanted, first, last))
    else:
        _show(wanted, first, last, compared)


def read_submission(file: str) -> RulesSubmission:
    """Return the rules submission in a file; - is stdin. Raises: InputRefused if it is none, UsageWrong."""
    document = read_document(file)
    try:
        return RulesSubmission.model_validate(document)
    except ValidationError as error:
        raise InputRefused(f"{file}: {refused_by_validation(error, document)}") from None


def _period(day: str | None, month: str | None) -> tuple[date, date]:
    """Return the first and the last gaming day. Raises: UsageWrong."""
    if (day is None) == (month is None):
        raise UsageWrong("give --day or --month")
    try:
        if day is not None:
            return date.fromisoformat(day), date.fromisoformat(day)
        first = date.fromisoformat(f"{month}-01")
    except ValueError:
        raise UsageWrong(f"{day or month!r}: give --day YYYY-MM-DD, or --month YYYY-MM") from None
    return first, first.replace(day=monthrange(first.year, first.month)[1])


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f} rounds"),
        TimeRemainingColumn(),
        console=console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    )


def _show(wanted: RulesSubmission, first: date, last: date, compared: Compared) -> None:
    period = f"{first}" if first == last else f"{first} to {last}"
    show(heading(f"{wanted.game} at {wanted.property}, {period}: {compared.rounds:,} rounds settled again"))
    columns = numbers("Handle", "Payout", "Win", "Other handle", "Other payout", "Other win", "Difference")
    for name, by in compared.sections():
        rows = [[key, *_figures(sums)] for key, sums in by.items()]
        title = name.replace("_", " ").capitalize()
        show("", table([*names(title), *columns], [*rows, ["all", *_figures(compared.total)]], footer=True))
    for reason, count in compared.refused.most_common(_SHOWN):
        message(f"{count:,} rounds not settled again: {reason}")
    if (more := len(compared.refused) - _SHOWN) > 0:
        message(f"and {more} reasons more: --json has all")


def _figures(sums: Sums) -> list[str]:
    return [dollars(cents) for cents in (*sums.recorded, *sums.other, sums.difference[-1])]
