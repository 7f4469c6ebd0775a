"""Changes of pit events at the desk of table inventory: who proposes and decides them, and how they are sent."""

from collections.abc import Mapping
from typing import Any

import httpx

from services.table_inventory.desk import changes_sender
from shared.runtime.commands.record_replay import Replay
from tests.support.outbox import Outbox
from tests.support.pit import PROPERTY, InventoryDesk


def path_of(event: Mapping[str, Any]) -> str:
    """Where an event of the pit is read."""
    data = event["data"]
    return f"/pit-events/{data['property']}/{data['table']}/{event['sequence']}"


def propose(
    desk: InventoryDesk,
    event: Mapping[str, Any],
    instead: Mapping[str, Any] | None = None,
    *,
    person: str = "floor.mia",
    replaces: int | None = None,
) -> httpx.Response:
    """Propose that an event is void, or that it was another, in place of the revision that stands."""
    if replaces is None:
        replaces = desk.get(path_of(event), person="floor.mia").json()["revision"]
    body: dict[str, Any] = {"replaces": replaces, "reason": "typed wrong"}
    if instead is not None:
        body |= {"at": instead["time"], "instead": instead["data"]}
    return desk.send(f"{path_of(event)}/changes", body, person=person)


def decide(
    desk: InventoryDesk, what: str, number: int = 1, *, person: str = "audit.ned", **body: Any
) -> httpx.Response:
    """Approve or reject a change."""
    return desk.send(f"/pit-changes/{PROPERTY}/{number}/{what}", body or None, person=person)


def send_approved(desk: InventoryDesk, outbox: Outbox) -> list[Replay]:
    """Send what is approved as a process that has just begun does."""
    before = len(outbox.sent)
    desk.client.run(changes_sender(desk.context).send())
    return outbox.sent[before:]
