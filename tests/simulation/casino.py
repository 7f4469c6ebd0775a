"""What the simulated casino sends and asks: small days of a few tables with their pit, and people at their desks.

Each of a few days is played once in a process; a seed picks one. What a day needs before it begins (the property, its
rules, pools, accounts, slips) is done in a run without faults, and every run of that day begins from there. A short run
begins later: most of the day was played without faults as well.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from enum import Enum
from functools import cache
from operator import attrgetter
from typing import Any, Final, TypeVar

from loadtest.floor.floor_day import opening
from loadtest.floor.game import TablePlan
from loadtest.floor.games import pit, rules_submissions
from loadtest.floor.links import pool_terms
from loadtest.floor.messages import Message, day
from loadtest.floor.pit import PitBook, PitDay
from loadtest.floor.pit_items import Slip, contents
from loadtest.floor.property import property_document
from loadtest.traffic.corpus import Record
from loadtest.traffic.opening import accounts_in
from services.paytable_registry.commands.properties import ApproveProperty, FileProperty
from services.paytable_registry.commands.submissions import ApproveSubmission, FileSubmission, ReturnSubmission
from services.progressive_meters.commands import ApprovePool, FilePool, RequestChange
from services.table_inventory.commands.slips import PrepareSlip, RequestSlip
from services.wagering_accounts.commands.accounts import BuyIn, CashOut, OpenAccount
from shared.contracts.envelope import as_json, encode
from shared.contracts.topics import PIT_EVENTS, TABLE_EVENTS
from shared.runtime.commands.command import Approving, Command
from tests.simulation.log import Sent

T = TypeVar("T")

PROPERTY: Final = "riverbend"
DAY: Final = date(2026, 5, 9)
BEGINS: Final = datetime(2026, 5, 10, 16, tzinfo=UTC)
"""When a run begins: noon of the gaming day after."""

SETTLEMENT, REGISTRY, REPORTING = "round-settlement", "paytable-registry", "reporting"
INVENTORY, VIGORISH = "table-inventory", "vigorish"
METERS, ACCOUNTS = "progressive-meters", "wagering-accounts"
SERVICES: Final = (REGISTRY, SETTLEMENT, INVENTORY, VIGORISH, ACCOUNTS, METERS, REPORTING)

_LAST_PART: Final = 1 / 3
"""How much of what a day sends comes in its last part."""

_OVERRIDE: Final = "offered as the regulation prints it"
_CENTS: Final = 10**8


class Part(Enum):
    """How much of a day is played: all of it, its last part, or what comes before that."""

    WHOLE = "whole"
    EARLIER = "earlier"
    LAST = "last"


_UNSEEN: Final[Mapping[str, str]] = {"subject_sha256": "0" * 64}
"""What an approval is of before anybody has looked."""


@dataclass(frozen=True)
class _Plan:
    """A day: which of the twelve tables of a pit play it, and how many rounds they play together."""

    tables: tuple[int, ...]
    rounds: int
    plants: bool = False


_PLANS: Final = (
    _Plan((0, 1), 24, plants=True),
    _Plan((2, 3), 12),
    _Plan((6, 9), 10),
    _Plan((8, 10), 10),
    _Plan((0, 2, 10), 12),
    _Plan((1, 6, 11), 12),
)
DAYS: Final = len(_PLANS)
SHORT_DAYS: Final = (0, 4)
"""The days that short runs play: with what goes wrong at tables, meters, accounts, vigorish and a pit of three tables.

Each day takes as long to prepare as many a short run.
"""


@dataclass(frozen=True)
class Asked:
    """A command of a person, the service to which it goes, and what is asked for where it is rejected."""

    service: str
    person: str
    command: Command
    key: str
    otherwise: "Asked | None" = None

    def of(self, shown: str) -> "Asked":
        """Return the command; an approval, and what is asked for instead of it, is of what has this hash."""
        if not isinstance(self.command, Approving):
            return self
        approval = self.command.model_copy(update={"subject_sha256": shown})
        otherwise = None if self.otherwise is None else self.otherwise.of(shown)
        return replace(self, command=approval, otherwise=otherwise)


@dataclass(frozen=True)
class Day:
    """A day that was played: what its tables send, and its pit."""

    number: int
    plans: tuple[TablePlan, ...]
    messages: tuple[Message, ...]
    pit: PitDay

    def slips(self) -> Iterator[tuple[Slip, int]]:
        """Yield the slips, each with its number: each kind is numbered as the cage prepares them."""
        numbers: dict[str, int] = {}
        for slip in self.pit.slips:
            numbers[slip.slip] = numbers.get(slip.slip, 0) + 1
            yield slip, numbers[slip.slip]

    def sent(self, part: Part) -> dict[str, list[Sent]]:
        """Return what each table and the pit send in a part of the day, in the order of time."""
        found: dict[str, list[Sent]] = {}
        for message in _of(part, self.messages):
            record = Sent(TABLE_EVENTS.name, message.key.encode(), message.value)
            found.setdefault(f"table {message.table}", []).append(record)
        events = sorted(self.pit.events(dict(self.slips())), key=attrgetter("time"))
        found["pit"] = [Sent(PIT_EVENTS.name, one.source.encode(), encode(one)) for one in _of(part, events)]
        return found

    def first(self) -> Iterator[Asked]:
        """Yield what is filed at the registry."""
        document = property_document(PROPERTY, self.plans, DAY)
        limits = document.plausibility.model_copy(update={"age_days_max": 36_500})
        document = document.model_copy(update={"plausibility": limits})
        yield _asked(REGISTRY, "filer", FileProperty.model_validate(as_json(document)))
        yield _asked(REGISTRY, "approver", ApproveProperty(property=PROPERTY, version=1, **_UNSEEN))
        for wanted in rules_submissions(PROPERTY, self.plans, opening(DAY)):
            yield _asked(REGISTRY, "filer", FileSubmission.model_validate(as_json(wanted)))
            approve = ApproveSubmission(property=PROPERTY, game=wanted.game, version=1, **_UNSEEN)
            override = approve.model_copy(update={"override": _OVERRIDE})
            yield replace(_asked(REGISTRY, "approver", approve), otherwise=_asked(REGISTRY, "approver", override))

    def opened(self) -> Iterator[Asked]:
        """Yield what is opened and prepared once the services know the property and its rules."""
        for terms in pool_terms(PROPERTY, self.plans, DAY):
            yield _asked(METERS, "clerk", FilePool.model_validate(terms))
            yield _asked(METERS, "manager", ApprovePool(property=PROPERTY, pool=terms["pool"], version=1, **_UNSEEN))
        for table, account in self._accounts():
            yield _asked(ACCOUNTS, "cashier", OpenAccount(property=PROPERTY, account=account, table=table))
            yield _asked(ACCOUNTS, "cashier", _buy_in(account, _CENTS))
        for number, (slip, _) in enumerate(self.slips(), 1):
            yield _asked(INVENTORY, "pit", _request(slip))
            yield _asked(INVENTORY, "cage", PrepareSlip(property=PROPERTY, request=number, **_UNSEEN))

    def people(self) -> dict[str, list[Asked]]:
        """Return what people ask for while the day is played, by desk: one after the other, when it is answered."""
        found: dict[str, list[Asked]] = {}
        for number, (_, account) in enumerate(self._accounts()[:4], 1):
            cashier = f"cashier-{number}"
            found[cashier] = [
                Asked(ACCOUNTS, cashier, _buy_in(account, 100 * number), f"{cashier}-1"),
                Asked(ACCOUNTS, cashier, _cash_out(account, 40 * number), f"{cashier}-2"),
                Asked(ACCOUNTS, cashier, _cash_out(account, 10**12), f"{cashier}-3"),  # rejected
            ]
        pools = [terms["pool"] for terms in pool_terms(PROPERTY, self.plans, DAY)]
        if pools:
            asked: dict[str, Any] = {"property": PROPERTY, "pool": pools[0], "kind": "adjustment", "cents": 100}
            wanted = RequestChange.model_validate(asked | {"gaming_day": DAY, "reason": "as counted"})
            found["clerk"] = [Asked(METERS, "clerk", wanted, f"clerk-{number}") for number in (1, 2)]
        if self.pit.slips:
            again = _request(self.pit.slips[0])
            found["pit"] = [Asked(INVENTORY, "pit", again, f"pit-{number}") for number in (1, 2, 3)]
        later = next(iter(rules_submissions(PROPERTY, self.plans[:1], opening(DAY) + timedelta(days=30))))
        filed = FileSubmission.model_validate(as_json(later))
        given_back = ReturnSubmission(property=PROPERTY, game=later.game, version=2, reason="not as discussed")
        found["registry"] = [
            Asked(REGISTRY, "filer", filed, "filer-1"),
            Asked(REGISTRY, "approver", given_back, "approver-1"),
            Asked(REGISTRY, "filer", filed, "filer-2"),
        ]
        return found

    def _accounts(self) -> list[tuple[str, str]]:
        sent = [
            Record(one.key, one.sequence or 0, one.value)
            for one in self.messages
            if one.kind in ("round", "late", "correction")
        ]
        return sorted((table, account) for _, table, account in accounts_in(sent))


@cache
def day_of(number: int) -> Day:
    """Play one of the days."""
    plan = _PLANS[number]
    whole = pit(12)
    plans = tuple(whole[table] for table in plan.tables)
    played = day(
        property_name=PROPERTY,
        plans=plans,
        gaming_day=DAY,
        seed=number + 1,
        rounds=plan.rounds,
        plants=plan.plants,
        linked=any(table in (2, 3) for table in plan.tables),
    )
    book = PitBook(PROPERTY, plans, DAY)
    messages = tuple(book.look(message) for message in played)
    return Day(number, plans, messages, book.day())


def _of(part: Part, things: Sequence[T]) -> Sequence[T]:
    """Return those of some things, in the order of time, that belong to a part of a day."""
    later = len(things) - round(len(things) * _LAST_PART)
    return {Part.WHOLE: things, Part.EARLIER: things[:later], Part.LAST: things[later:]}[part]


def _asked(service: str, person: str, command: Command) -> Asked:
    return Asked(service, person, command, f"before-{person}-{command.digest().hex()[:16]}")


def _buy_in(account: str, cents: int) -> BuyIn:
    return BuyIn(property=PROPERTY, account=account, instrument="cash", cents=cents)


def _cash_out(account: str, cents: int) -> CashOut:
    return CashOut(property=PROPERTY, account=account, instrument="cash", cents=cents)


def _request(slip: Slip) -> RequestSlip:
    asked: dict[str, Any] = {"slip": slip.slip, "property": PROPERTY, "table": slip.table, "gaming_day": DAY}
    return RequestSlip.model_validate(asked | {"shift": slip.shift, "contents": contents(slip.cents)})
