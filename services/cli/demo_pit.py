"""What people do around the demo's gaming day over HTTP: configure meters, prepare slips, count, resolve, close."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import count
from typing import Any, Final, Self

import httpx

from loadtest.floor import initial_meters, opening
from loadtest.game import TablePlan
from loadtest.links import POOL, linked_meter
from loadtest.pit import PitDay
from loadtest.pit_items import Box, Slip
from loadtest.pit_table import CAGE, COUPON_CENTS, FLOORPERSON, PAPER_NUMBER, PIT, SECURITY, contents
from loadtest.publish import Publisher
from services.cli.exits import NotThere
from services.cli.stack import RunningStack, StackEnded
from shared.contracts.topics import PIT_EVENTS

_HUNDRED_CENTS: Final = 100_00
_SECONDS: Final = 30.0
_PAGE: Final = "500"

REGISTRY: Final = "paytable-registry"
REPORTING: Final = "reporting"
INVENTORY: Final = "table-inventory"
VIGORISH: Final = "vigorish"
ACCOUNTS: Final = "wagering-accounts"
METERS: Final = "progressive-meters"

Document = Mapping[str, Any]


class People:
    """The people of a running stack at their desks, for the length of a `with` block."""

    def __init__(self, stack: RunningStack) -> None:
        self._stack = stack
        self._numbers = count(1)
        self._clients = {
            service: httpx.Client(base_url=url, timeout=_SECONDS, trust_env=False)
            for service, url in stack.urls.items()
        }

    def does(self, person: str, service: str, path: str, document: object = None) -> dict[str, Any]:
        """Post as a person, and return the answer. Raises: NotThere where it is refused."""
        headers = {"idempotency-key": f"demo.{next(self._numbers)}"}
        return self._answer(person, service, "POST", path, json=document, headers=headers)

    def reads(self, service: str, path: str, **wanted: str) -> dict[str, Any]:
        """Return what the auditor reads. Raises: NotThere."""
        return self._answer("demo.auditor", service, "GET", path, params=wanted, headers={})

    def pages(self, service: str, path: str, **wanted: str) -> Iterator[Document]:
        """Return the items of a list that the auditor reads, all its pages. Raises: NotThere."""
        page = self.reads(service, path, **wanted, limit=_PAGE)
        yield from page["items"]
        while (cursor := page.get("next")) is not None:
            page = self.reads(service, path, **wanted, limit=_PAGE, cursor=cursor)
            yield from page["items"]

    def _answer(
        self, person: str, service: str, method: str, path: str, *, headers: dict[str, str], **sent: Any
    ) -> dict[str, Any]:
        headers["authorization"] = f"Bearer {self._stack.home.tokens[person]}"
        try:
            response = self._clients[service].request(method, path, headers=headers, **sent)
        except httpx.TransportError as error:
            if (ended := self._stack.ended()) is not None:
                raise StackEnded(ended) from error
            raise NotThere(f"{service} does not answer: {error}") from error
        if response.is_error:
            raise NotThere(f"{person}: {method} {path} of {service} answered {response.status_code}: {response.text}")
        answer: dict[str, Any] = response.json()
        return answer

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *reason: object) -> None:
        for client in self._clients.values():
            client.close()


def configure_pools(people: People, property_name: str, plans: Sequence[TablePlan], gaming_day: date) -> bool:
    """Has one person file a pool for each meter and another approve it; gives whether there is any.

    The linked meter of several tables is one pool.
    """
    pools: dict[str, list[tuple[TablePlan, str, int]]] = {}
    for plan in plans:
        for meter, reset_cents in initial_meters(plan).items():
            name = POOL if meter == linked_meter(plan) else f"{plan.name}.{meter}"
            pools.setdefault(name, []).append((plan, meter, reset_cents))
    for name, feeds in pools.items():
        terms = {
            "property": property_name,
            "pool": name,
            "feeds": [{"table": plan.name, "game": plan.game, "meter": meter} for plan, meter, _ in feeds],
            "effective_from": opening(gaming_day).isoformat(),
            "gaming_day": gaming_day.isoformat(),
            "base_cents": feeds[0][2],
            "reset_cents": feeds[0][2],
            "reason": "opening of the pit",
        }
        filed = people.does("demo.meter_clerk", METERS, "/pools", terms)
        path = f"/pools/{property_name}/{name}/versions/{filed['version']}/approve"
        people.does("demo.meter_manager", METERS, path)
    return bool(pools)


def report_pit(people: People, pit: PitDay, bootstrap_servers: str) -> int:
    """Has slips prepared in their order and sends what the pit reports; gives the number of records."""
    numbers: dict[Slip, int] = {}
    for slip in pit.slips:
        wanted = _day(pit) | {
            "slip": slip.slip,
            "table": slip.table,
            "shift": slip.shift,
            "contents": contents(slip.cents),
        }
        requested = people.does(PIT, INVENTORY, "/requests", wanted)
        prepare = {"property": pit.property, "request": requested["request"]}
        numbers[slip] = people.does(CAGE, INVENTORY, "/slips", prepare)["number"]
    sent = 0
    with Publisher(bootstrap_servers, PIT_EVENTS.name) as publisher:
        for report in pit.reports(numbers):
            publisher.send(report)
            sent += 1
    return sent


def close_pit(people: People, pit: PitDay) -> None:
    """Does what the cage, the count room and revenue audit do after the gaming day, until it is closed."""
    _receive_credits(people, pit)
    _enter_paper_slips(people, pit)
    _count_boxes(people, pit)
    _resolve_variances(people, pit)
    _close_day(people, pit)


def reconcile_meters(people: People, pit: PitDay) -> None:
    """A person records the meters of the day as they are known."""
    reading = _day(pit) | {"reason": "end of the gaming day"}
    people.does("demo.meter_auditor", METERS, "/reconciliations", reading)


def _day(pit: PitDay) -> dict[str, Any]:
    return {"property": pit.property, "gaming_day": pit.gaming_day.isoformat()}


def _receive_credits(people: People, pit: PitDay) -> None:
    """The cage receives what security carried to it: by somebody who did no other step of the slip."""
    page = people.reads(INVENTORY, "/slips", **_day(pit), limit=_PAGE, slip="credit", status="carried")
    for slip in page["items"]:
        path = f"/slips/{pit.property}/credit/{slip['number']}/receive"
        people.does("demo.cashier", INVENTORY, path, {"contents": slip["contents"]})


def _enter_paper_slips(people: People, pit: PitDay) -> None:
    """Enters what came on paper while the system was away, with the five people who signed it."""
    for number, fill in enumerate(pit.paper, start=PAPER_NUMBER):
        slip = _day(pit) | {
            "slip": "fill",
            "table": fill.table,
            "shift": fill.shift,
            "number": number,
            "contents": contents(fill.cents),
            "occurred_at": fill.at.isoformat(),
            "requested_by": PIT,
            "prepared_by": CAGE,
            "carried_by": SECURITY,
            "received_by": fill.dealer,
            "observed_by": FLOORPERSON,
            "reason": f"the network was down; paper fill slip {number}",
        }
        people.does("demo.cashier", INVENTORY, "/manual-slips", slip)


def _count_boxes(people: People, pit: PitDay) -> None:
    """Two people count every box, neither seeing what the other found; then the count is concluded."""
    number = people.does("demo.counter", INVENTORY, "/drop-counts", _day(pit))["count"]
    path = f"/drop-counts/{pit.property}/{number}"
    for person in ("demo.counter", "demo.verifier"):
        for box in pit.boxes:
            people.does(person, INVENTORY, f"{path}/boxes", _found(box))
    people.does("demo.counter", INVENTORY, f"{path}/conclude")


def _found(box: Box) -> Document:
    dropped = box.dropped
    notes = dropped.currency // _HUNDRED_CENTS
    coupons = dropped.coupons.items()
    figures = {
        "currency": [{"cents": _HUNDRED_CENTS, "count": notes}] if notes else [],
        "counter_checks": [{"serial": serial, "cents": cents} for serial, cents in dropped.checks.items()],
        "coupons": [{"coupon": name, "cents": COUPON_CENTS, "count": count} for name, count in coupons],
    }
    return {"table": box.table, "exchange": box.exchange, "figures": figures}


def _resolve_variances(people: People, pit: PitDay) -> None:
    """Gives every variance of the day an owner, who resolves it."""
    for found in people.reads(INVENTORY, "/variances", **_day(pit))["items"]:
        place = f"{found['variance']}/{found['table']}/{found['number']}"
        path = f"/variances/{pit.property}/{pit.gaming_day}/{place}"
        people.does("demo.accountant", INVENTORY, f"{path}/own", {"owner": "demo.revenue_auditor"})
        conclusion = {"conclusion": "surveillance: a $100 chip was paid twice at the change of shift"}
        people.does("demo.revenue_auditor", INVENTORY, f"{path}/resolve", conclusion)


def _close_day(people: People, pit: PitDay) -> None:
    """Closes the gaming day in its three stages, each by somebody else."""
    path = f"/gaming-days/{pit.property}/{pit.gaming_day}"
    people.does("demo.accountant", INVENTORY, f"{path}/preliminary", {})
    people.does("demo.revenue_auditor", INVENTORY, f"{path}/audited")
    people.does("demo.controller", INVENTORY, f"{path}/final")
