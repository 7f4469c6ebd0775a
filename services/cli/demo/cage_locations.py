"""The locations of the demo's cage, their transfers and their counts."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Final

from loadtest.floor.pit_items import STACKS
from services.cli.demo.pit import INVENTORY, People
from shared.contracts.cage_locations import HeldPieces, money_of
from shared.contracts.properties import CageLocation

Contents = Sequence[HeldPieces]

WINDOW: Final = "drawer-1"
"""The drawer used for all transactions of known patrons."""

_VAULT: Final = "vault"
_IMPREST_CENTS: Final = 20_000_00
_CASHIER: Final = "demo.cashier"
_OTHER: Final = "demo.cage"
"""The second person, because every transfer and every count needs two people."""


def _notes(cents: int, each_cents: int = 100_00) -> HeldPieces:
    return HeldPieces(kind="currency", cents=each_cents, count=cents // each_cents)


def _chips(cents: int) -> HeldPieces:
    return HeldPieces(kind="chips", chip_set="chips", cents=25_00, count=cents // 25_00)


_OPENING: Final[Mapping[str, Contents]] = {
    _VAULT: (_notes(250_000_00), _chips(100_000_00)),
    WINDOW: (_notes(_IMPREST_CENTS, 20_00),),
}
_IN_SERVICE: Final = tuple(
    HeldPieces(kind="chips", chip_set=f"{piece}s", piece=piece, cents=cents, count=100_000) for piece, cents in STACKS
)
"""The chips in service: more of each denomination than vault, tables and patrons ever hold."""

_FROM_BANK: Final = (_notes(50_000_00),)
_TO_CAGE: Final = (_chips(10_000_00),)
_LEFT_AT_WINDOW: Final = (_notes(_IMPREST_CENTS, 20_00), _notes(4_400_00))
_TO_VAULT: Final = (_notes(4_400_00),)
_LEFT_IN_VAULT: Final = (_notes(300_000_00), _chips(90_000_00))

HELD_CENTS: Final = money_of((*_LEFT_IN_VAULT, *_LEFT_AT_WINDOW)) - money_of(_TO_VAULT)
"""The value, in cents, of the contents of vault and drawer at the end."""


def locations(since: date) -> tuple[CageLocation, ...]:
    """Return the cage's locations for the demo's property document."""
    drawer = CageLocation(location=WINDOW, kind="drawer", imprest_cents=_IMPREST_CENTS, opened_on=since)
    return drawer, CageLocation(location=_VAULT, kind="vault", opened_on=since)


def open_cage(people: People, property_name: str, day: date) -> None:
    """Record the chips in service, count vault and drawer, and move currency from the bank and chips to the cage."""
    in_service = {"gaming_day": day.isoformat(), "contents": _sent(_IN_SERVICE), "source": "chip inventory ledger"}
    revision = people.does("demo.accountant", INVENTORY, f"/chips-in-service/{property_name}", in_service)["revision"]
    people.does("demo.controller", INVENTORY, f"/chips-in-service/{property_name}/{revision}/approve")
    for location, contents in _OPENING.items():
        _verify(people, property_name, _count(people, property_name, location, contents))
    for giver, receiver, contents in (("bank", _VAULT, _FROM_BANK), (_VAULT, "cage", _TO_CAGE)):
        number = _transfer(people, property_name, giver, receiver, contents)
        people.does(_OTHER, INVENTORY, f"/cage/{property_name}/transfers/{number}/receive")


def close_cage(people: People, property_name: str) -> None:
    """Count the drawer, which is one note short, and the vault, without verification; leave a transfer in transit."""
    found = _count(people, property_name, WINDOW, _LEFT_AT_WINDOW)
    _verify(people, property_name, found, reason="a strap of notes was short of one")
    _transfer(people, property_name, WINDOW, _VAULT, _TO_VAULT)
    _count(people, property_name, _VAULT, _LEFT_IN_VAULT)


def _transfer(people: People, property_name: str, giver: str, receiver: str, contents: Contents) -> int:
    given = {"giver": giver, "receiver": receiver, "contents": _sent(contents)}
    number: int = people.does(_CASHIER, INVENTORY, f"/cage/{property_name}/transfers", given)["transfer"]
    return number


def _count(people: People, property_name: str, location: str, contents: Contents) -> int:
    counted = {"location": location, "contents": _sent(contents), "cashier": _CASHIER}
    number: int = people.does(_CASHIER, INVENTORY, f"/cage/{property_name}/counts", counted)["count"]
    return number


def _verify(people: People, property_name: str, number: int, **why: str) -> None:
    people.does(_OTHER, INVENTORY, f"/cage/{property_name}/counts/{number}/verify", why)


def _sent(contents: Contents) -> list[dict[str, Any]]:
    return [pieces.model_dump(exclude_none=True) for pieces in contents]
