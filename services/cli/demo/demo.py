"""`pitledger demo`: simulate a gaming day of table games through the real services, and print the books."""

import heapq
import json
import os
import subprocess
import sys
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import closing
from dataclasses import asdict, dataclass
from datetime import UTC, date, datetime, timedelta
from functools import partial
from operator import attrgetter
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from loadtest.floor.counted_tables import COUNTED
from loadtest.floor.devices import Devices
from loadtest.floor.electronic import AccountsRefused, Desk, ElectronicTables, electronic_tables
from loadtest.floor.floor_day import opening
from loadtest.floor.game import TablePlan
from loadtest.floor.games import pit, rules_submissions
from loadtest.floor.messages import Message
from loadtest.floor.messages import day as messages_of_day
from loadtest.floor.pit import PitBook, PitDay
from loadtest.floor.poker_tables import POKER
from loadtest.floor.property import property_document
from loadtest.traffic import playing
from loadtest.traffic.playing import play
from loadtest.traffic.progress import TooSlow, Watch
from loadtest.traffic.publish import NotDelivered
from loadtest.traffic.registry import RegistryRefused, file_and_approve
from loadtest.traffic.reports import ReportUnavailable, differences, read_reports, total_of
from loadtest.traffic.target import Target
from services.cli.demo.beside_rounds import (
    beside_differences,
    read_beside_rounds,
    report_beside_rounds,
    wait_until_recorded,
    with_card_reader,
)
from services.cli.demo.cage import read_cage, work_at_cage
from services.cli.demo.cage_locations import locations
from services.cli.demo.credit_lines import RULES, STAFF, give_credit
from services.cli.demo.gaming_day import gaming_day_of
from services.cli.demo.identities import identities, pit_differences, read_pit
from services.cli.demo.ledger import ledger_differences, map_ledger, read_ledger
from services.cli.demo.neighbor import Neighbor, property_row
from services.cli.demo.pit import (
    ACCOUNTS,
    REGISTRY,
    REPORTING,
    People,
    close_pit,
    configure_pools,
    dismiss_refused,
    reconcile_meters,
    report_pit,
)
from services.cli.demo.progress import Progress
from services.cli.demo.reports import delivery, read_tax, wait_for_delivery
from services.cli.demo.tables import show_day
from services.cli.environment import settings
from services.cli.exits import CheckFailed, ExitCode, NotFound
from services.cli.interrupts import InterruptGuard
from services.cli.output import AsJson, message, print_json
from services.cli.services import NAMES
from services.cli.stack.running_stack import COMMAND, RunningStack
from services.cli.stack.up import stack_document, watch
from shared.contracts.properties import PropertyDocument
from shared.contracts.topics import PIT_EVENTS, SETTLEMENTS
from shared.rules import catalogue

PROPERTY: Final = "bayside"
ROUNDS: Final = 2_880
"""Twelve tables, four hours, sixty rounds an hour: the whole day in under a minute on two processors."""

SETTINGS: Final = {"PITLEDGER_VERIFICATION_SECONDS": "2", "PITLEDGER_CHECKPOINT_SECONDS": "2"}
"""Short intervals, because with the defaults a demo would end before the first checkpoint is signed."""

_UNDER_SUBMISSIONS: Final = ("round_settlement", "vigorish", "progressive_meters")
_AT_PROPERTIES: Final = ("round_settlement", "table_inventory", "vigorish", "progressive_meters", "wagering_accounts")
_READ_SETTLEMENTS: Final = ("table_inventory", "vigorish", "progressive_meters", "wagering_accounts")

_SUBMISSION_SECONDS: Final = 90.0
_PATIENCE_SECONDS: Final = 120.0
_SECONDS_PER_ROUND: Final = 0.01
"""Additional timeout per round, because long days take longer to read, sign and verify; an estimate, not measured."""

_COMMANDS_AT_ONCE: Final = 2


def demo(
    rounds: Annotated[int, typer.Option(min=1, max=1_000_000, help="Total number of rounds to play.")] = ROUNDS,
    tables: Annotated[int, typer.Option(min=1, max=400, help="Number of gaming tables.")] = 12,
    seed: Annotated[int, typer.Option(help="Random seed; the same seed plays the same day.")] = 56,
    reports: Annotated[
        Path | None, typer.Option(metavar="FOLDER", help="Folder for the day's reports (default: a new folder).")
    ] = None,
    keep: Annotated[bool, typer.Option("--keep", help="Keep the stack running after the day, until Ctrl-C.")] = False,
    as_json: AsJson = False,
) -> int:
    """Simulate a gaming day of table games through the real services, and print the books.

    Starts PostgreSQL, a Kafka broker and every service as a process of its own, has two people file and approve the
    property and its rules submissions, plays the day, and waits until all of it is settled and reported. The pit has
    fills and credits, two shifts, a drop that is counted twice, coupons, tips, electronic wagers, three tables whose
    win is known only from the count (one records its results), a poker table where players pay for time, ratings of
    patrons (one by a card reader, which ties a seat to its player), and a hit of a linked progressive. Counter checks
    stay within credit lines; one comes back unpaid, and one is partly paid. The cage has a vault and a drawer,
    transfers, counts, reportable currency and a grant of promotional money. Two people file and approve the
    general-ledger mapping. A second property, in Rhode Island, plays under its own law and clock. A device at each
    table signs its rounds. The day's reports are written to a folder, signed; `pitledger verify-reports` verifies them.
    The day contains some deliberate errors; the exceptions report lists them. Exit code 1 if a figure differs from the
    simulator's, or an accounting identity is violated.

    Servers named in the environment are not used: a demo writes only to its own database.

    Example: pitledger demo
    Example: pitledger demo --rounds 500 --tables 2 --json
    """
    settings()  # fail here if a setting is wrong, not in each service
    ending = InterruptGuard.heard()
    environment = {
        name: value for name, value in os.environ.items() if name not in ("DATABASE_URL", "KAFKA_BOOTSTRAP_SERVERS")
    }
    plans = pit(tables)
    try:
        with (
            delivery(reports) as (folder, delivering),
            RunningStack(
                environment=environment, settings=SETTINGS | delivering, console=keep, report=message
            ) as stack,
            People(stack) as people,
        ):
            day = play_day(stack, people, ending, plans, rounds=rounds, seed=seed)
            day["stack"] = stack_document(stack) if keep else None
            day["reports"] = {"folder": str(folder), "files": wait_for_delivery(people, folder)}
            if as_json:
                print_json(day)
            else:
                show_day(day, {plan.game: catalogue(plan.regulation).title for plan in plans})
            sys.stdout.flush()
            if keep:
                _keep(stack, ending)
            message("stopping")
    except (NotDelivered, ReportUnavailable, RegistryRefused, AccountsRefused, TooSlow) as error:
        raise NotFound(str(error)) from error
    except KeyboardInterrupt:
        message("interrupted; nothing is left running")
        return ExitCode.INTERRUPTED
    if different := day["differences"]:
        raise CheckFailed(f"{len(different)} figures differ, the first: {different[0]}")
    return ExitCode.FINE


def play_day(
    stack: RunningStack,
    people: People,
    ending: InterruptGuard,
    plans: tuple[TablePlan, ...],
    *,
    rounds: int,
    seed: int,
    installed: Callable[[Iterable[PropertyDocument]], Devices] = Devices,
) -> dict[str, Any]:
    """Play, settle, report and verify a day, and return it as one JSON document; amounts are cents.

    `installed` returns the table devices whose keys sign the properties' records.
    """
    gaming_day = gaming_day_of(datetime.now(UTC))
    tokens = stack.home.tokens
    target = Target(
        bootstrap_servers=stack.bootstrap_servers,
        database_url=stack.database_url,
        registry_url=stack.urls[REGISTRY],
        filer_token=tokens["demo.filer"],
        approver_token=tokens["demo.approver"],
    )
    neighbor = Neighbor.beside(gaming_day, rounds, len(plans))
    own_document = property_document(PROPERTY, plans, gaming_day, counted=COUNTED, poker=POKER)
    with_cage = {"cage_locations": locations(gaming_day), "credit_lines": RULES, "people": STAFF}
    own_document = own_document.model_copy(update=with_cage | {"tables": with_card_reader(own_document, plans[0].name)})
    devices = installed([own_document, neighbor.document])
    properties = devices.documents
    _approve(target, properties, [(PROPERTY, plans), (neighbor.name, neighbor.plans)], gaming_day)
    patience = _PATIENCE_SECONDS + _SECONDS_PER_ROUND * rounds
    has_meters = configure_pools(people, PROPERTY, plans, gaming_day)
    configure_pools(people, neighbor.name, neighbor.plans, gaming_day)
    map_ledger(people, PROPERTY, gaming_day)
    message(f"playing {rounds:,} rounds at {len(plans)} tables, gaming day {gaming_day.isoformat()}, seed {seed}")
    desk = Desk(
        stack.urls[ACCOUNTS], cashier_token=tokens["demo.account_cashier"], table_token=tokens["demo.table_system"]
    )
    electronic = ElectronicTables(desk, PROPERTY, electronic_tables(plans))
    book, example = PitBook(PROPERTY, plans, gaming_day, counted=COUNTED, poker=POKER), _Example()
    messages = messages_of_day(
        property_name=PROPERTY, plans=plans, gaming_day=gaming_day, seed=seed, rounds=rounds, plants=True, linked=True
    )
    with Progress(rounds) as progress, ThreadPoolExecutor(1) as pool:
        reporting: list[Future[tuple[PitDay, int]]] = []

        def show(now: playing.Progress) -> None:
            ending.check()
            stack.check()
            progress.show(now)

        def report_pit_of_day() -> tuple[PitDay, int]:
            pit_day = book.day()
            give_credit(people, pit_day)
            return pit_day, report_pit(people, pit_day, target.bootstrap_servers, devices)

        def all_messages() -> Generator[Message, None, None]:
            own = electronic.funded(map(book.look, map(example.look, messages)))
            yield from heapq.merge(own, neighbor.messages(seed), key=attrgetter("sent_at"))
            reporting.append(pool.submit(report_pit_of_day))  # while the last rounds are settled

        with closing(all_messages()) as sent:
            played = play(target, sent, show, devices)
        pit_day, pit_records = reporting[0].result()
    beside_rounds = report_beside_rounds(PROPERTY, plans[0].name, gaming_day, target.bootstrap_servers, devices)
    message("counting the drop, resolving variances, closing the gaming day")
    with Watch(target) as watch:
        wait_until_recorded(watch, beside_rounds, played.records, seconds=patience)
        for schema in _READ_SETTLEMENTS:
            watch.wait_for_topic(schema, SETTLEMENTS.name, watch.entries(), seconds=patience)
        for schema in ("table_inventory", "vigorish"):
            watch.wait_for_topic(schema, PIT_EVENTS.name, pit_records, seconds=patience)
    electronic.cash_out()
    paid_cents = work_at_cage(people, pit_day, electronic)
    dismiss_refused(people)
    with Watch(target) as watch:
        watch.wait_for_topic("table_inventory", SETTLEMENTS.name, watch.entries(), seconds=patience)
    close_pit(people, pit_day)
    if has_meters:
        reconcile_meters(people, pit_day)
    read = partial(read_reports, stack.urls[REPORTING], tokens["demo.auditor"], gaming_day=gaming_day)
    reports, beside = read(property_name=PROPERTY), read(property_name=neighbor.name)
    books, books_beside = played.books[PROPERTY], played.books[neighbor.name]
    with Watch(target) as watch:
        watch.wait_for_reporting(_READ_SETTLEMENTS, seconds=patience)
    paid_until = gaming_day + timedelta(days=datetime.now(UTC) >= opening(gaming_day + timedelta(days=1)))
    pit_reports = read_pit(people, PROPERTY, gaming_day, paid_until)
    rated = read_beside_rounds(people, PROPERTY, gaming_day, beside_rounds, seconds=patience)
    tax, cage = read_tax(people, PROPERTY, gaming_day), read_cage(people, PROPERTY, paid_until)
    ledger = read_ledger(people, PROPERTY, gaming_day)
    message("verifying the journals")
    schemas = [service.replace("-", "_") for service in NAMES]
    with Watch(target) as watch:
        watch.wait_for_checkpoints(seconds=patience, schemas=schemas)
        legs_of = {name: {schema: watch.legs(schema, name) for schema in schemas} for name in (PROPERTY, neighbor.name)}
        not_read = {schema: watch.not_read(schema) for schema in _READ_SETTLEMENTS}
    with ThreadPoolExecutor(_COMMANDS_AT_ONCE) as pool:
        verified = pool.submit(_documents, stack, patience, "verify")
        reconstructed = pool.submit(_documents, stack, patience, "reconstruct", example.round_id)
    journals, (round_document,) = verified.result(), reconstructed.result()
    legs = legs_of[PROPERTY]
    trial_balances = {
        name: {schema: sum(sums.values()) for schema, sums in of_schemas.items()}
        for name, of_schemas in legs_of.items()
    }
    equal = identities(
        pit_reports,
        pit=pit_day,
        electronic=electronic,
        settled=total_of(reports.win_as_settled, "tables"),
        legs=legs,
        checks_paid_cents=paid_cents,
    )
    return {
        "property": PROPERTY,
        "gaming_day": gaming_day.isoformat(),
        "seed": seed,
        "tables": len(plans),
        "counted_tables": len(COUNTED),
        "poker_tables": len(POKER),
        "rounds": rounds,
        "records": played.records,
        "sent": dict(books.messages),
        "seconds": {stage: getattr(played, f"{stage}_seconds") for stage in ("produced", "settled", "reported")},
        "properties": [
            property_row(document, each.win_as_settled)
            for document, each in zip(properties, (reports, beside), strict=True)
        ],
        "win_as_settled": reports.win_as_settled,
        "tax": tax,
        "general_ledger": ledger,
        "exceptions": list(reports.exceptions),
        "win": pit_reports.win,
        "variances": pit_reports.variances,
        "desk_exceptions": pit_reports.exceptions,
        "vigorish": pit_reports.vigorish,
        "progressives": pit_reports.progressives,
        "accounts": asdict(electronic.money) | {"liability": pit_reports.liability},
        "cage": cage,
        "beside_rounds": rated,
        "meters": pit_reports.meters,
        "identities": equal,
        "journals": journals,
        "trial_balances_cents": trial_balances,
        "expected": asdict(books.total()),
        "differences": [
            *differences(books, reports),
            *(f"{neighbor.name}: {each}" for each in differences(books_beside, beside)),
            *pit_differences(pit_reports, equal, pit=pit_day, electronic=electronic, books=books),
            *ledger_differences(ledger, books.total()),
            *beside_differences(rated, beside_rounds, book=book, pit=pit_day),
            *_broken(journals, trial_balances),
            *(f"{schema} has refused or misses {number} records" for schema, number in not_read.items() if number),
        ],
        "round": {"round_id": example.round_id, **round_document},
    }


def _approve(
    target: Target,
    properties: Sequence[PropertyDocument],
    floors: Sequence[tuple[str, tuple[TablePlan, ...]]],
    gaming_day: date,
) -> None:
    submissions = [each for name, plans in floors for each in rules_submissions(name, plans, opening(gaming_day))]
    message(
        f"filing {len(properties)} properties and {len(submissions)} rules submissions as demo.filer, "
        "approving as demo.approver"
    )
    file_and_approve(target, properties, submissions)
    with Watch(target) as watch:
        watch.wait_for_properties(len(properties), seconds=_SUBMISSION_SECONDS, schemas=_AT_PROPERTIES)
        watch.wait_for_submissions(len(submissions), seconds=_SUBMISSION_SECONDS, schemas=_UNDER_SUBMISSIONS)


@dataclass(slots=True)
class _Example:
    """The example round to print in full: the first corrected round, or else the first round."""

    round_id: str = ""
    corrected: bool = False

    def look(self, sent: Message) -> Message:
        """Remember the message's round if it is the best example so far; return the message unchanged."""
        corrected = sent.kind == "correction"
        if sent.round_id is not None and (not self.round_id or (corrected and not self.corrected)):
            self.round_id, self.corrected = sent.round_id, corrected
        return sent


def _broken(journals: Sequence[Mapping[str, Any]], trial_balances: Mapping[str, Mapping[str, int]]) -> Iterator[str]:
    for each in journals:
        for problem in each["problems"]:
            yield f"journal of {each['service']}, shard {each['shard']}, entry {problem['entry']}: {problem['what']}"
    for name, of_schemas in trial_balances.items():
        for schema, cents in of_schemas.items():
            if cents:
                yield f"the accounts of {name} in {schema} sum to {cents} cents and must sum to 0"


# --- our own commands, as anybody would call them on this stack ---


def _documents(stack: RunningStack, seconds: float, *words: str) -> list[dict[str, Any]]:
    """Run a command with `--json`, and return its output documents, even if its exit code reports problems."""
    ended = subprocess.run(  # noqa: S603 - our own command line
        [*COMMAND, *words, "--json"],
        env={**os.environ, **stack.environment},
        stdout=subprocess.PIPE,
        text=True,
        timeout=seconds,
        check=False,
    )
    if ended.returncode not in (ExitCode.FINE, ExitCode.NOT_AS_IT_SHOULD_BE):
        said = f"`pitledger {' '.join(words)}` ended with exit code {ended.returncode}"
        raise NotFound(f"{said}; its message stands above")
    return [json.loads(line) for line in ended.stdout.splitlines()]


def _keep(stack: RunningStack, ending: InterruptGuard) -> None:
    """Print the stack's URLs, and wait for Ctrl-C. Raises: StackEnded if a server exits, because its data is lost."""
    message("still running; Ctrl-C stops it")
    message(f"  console            {stack.console_url}  (log in as demo.auditor, or as anybody else; no password)")
    for service, url in stack.urls.items():
        message(f"  {service:<18} {url}/docs")
    message(f"  API tokens         {stack.home.tokens_file}")
    message(f"  signed checkpoints {stack.home.checkpoints}")
    message(f"  In another terminal:  . {stack.home.environment_file}  &&  pitledger verify")
    watch(stack, ending)
