"""The record of a round, or a pit event, as a form: it comes back from the form as the same record or event."""

import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from services.console.felt.record_form import event_fields, record_fields, record_typed
from services.console.forms import LEFT_OUT, filled
from services.console.operations import Field, Operation
from shared.contracts.facts import KINDS
from shared.contracts.pit import EVENTS
from shared.contracts.topics import PIT_EVENTS
from shared.rules import REGULATIONS, CaseFile, Refused, parse_cases, parse_round
from tests.support.records import read

GOLDEN = Path(__file__).parents[3] / "golden"
FILES = sorted(GOLDEN.glob("??-*/*.yaml"))
UTC = ZoneInfo("UTC")


def operation_of(fields: Field) -> Operation:
    """Return a command with these fields in its body."""
    return Operation(
        service="", name="", title="", description="", path="", roles=frozenset(), of_path=(), of_body=(fields,)
    )


def all_of(fields: Field) -> list[Field]:
    """Return a field, and all fields within it."""
    found = [fields]
    for one in found:
        found += (*one.fields, *([one.item] if one.item else []))
    return found


def typed(case: CaseFile, **changes: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the record and the mistakes of a form that a case fills in, with changes to what is typed."""
    record = json.loads(json.dumps(case.round))  # as the journal has it: the keys of objects are texts
    fields = record_fields("round", case.regulation, record)
    assert fields is not None
    form = dict(record_typed(fields, "round", record)) | changes
    found = filled(operation_of(fields), form, UTC)
    return found.body["round"], found.mistakes


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_record_comes_back_as_it_was(path: Path) -> None:
    """Every seat, card, wager, decision, meter and irregularity; what is no record has no form to come back from."""
    for case in parse_cases(read(path)):
        try:
            expected = parse_round(case.regulation, case.round)
        except Refused:
            continue
        found, mistakes = typed(case)
        assert {} == mistakes, case.id
        assert expected == parse_round(case.regulation, found), case.id


@pytest.fixture
def case() -> CaseFile:
    """A round of two seats."""
    [found] = parse_cases(
        {
            "id": "a",
            "regulation": "pa-633a-2024",
            "round": {
                "seats": [
                    {"seat": 1, "player": "p1", "wagers": {"blackjack": 2500}, "dealt": ["As", "Kd"]},
                    {"seat": 3, "player": "p3", "wagers": {"blackjack": 1000, "in_between": 500}},
                ],
                "dealer": {"cards": ["9d", "9s"]},
            },
        }
    )
    return found


def test_a_row_is_left_out_whatever_it_holds(case: CaseFile) -> None:
    """A seat that did not wager, without emptying each of its fields."""
    found, _ = typed(case, **{f"round.seats.0.{LEFT_OUT}": "yes"})
    assert [3] == [seat["seat"] for seat in found["seats"]]


def test_amounts_and_cards_are_typed_as_people_write_them(case: CaseFile) -> None:
    """Dollars, cards in any case with 10 for T, two hands of a seat with a slash; an empty wager is none."""
    found, _ = typed(
        case,
        **{
            "round.seats.0.wagers.blackjack": "1,250.50",
            "round.seats.0.dealt": "10s kd / aH,2c",
            "round.seats.1.wagers.in_between": "",
            "round.dealer.cards": "",
        },
    )
    first, second = found["seats"]
    assert (125_050, [["Ts", "Kd"], ["Ah", "2c"]]) == (first["wagers"]["blackjack"], first["dealt"])
    assert ({"blackjack": 1000}, {"cards": []}) == (second["wagers"], found["dealer"])


def test_what_is_no_card_is_named(case: CaseFile) -> None:
    """At the field in which it was typed."""
    _, mistakes = typed(case, **{"round.dealer.cards": "9d 1s"})
    assert ["round.dealer.cards"] == list(mistakes)
    assert "'1s' is no card" in mistakes["round.dealer.cards"]


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_no_member_of_a_record_is_typed_as_json(regulation: str) -> None:
    """Every member of every game has a field that a person can fill in."""
    fields = record_fields("round", regulation, {"meters": {"a": 1}})
    assert fields is not None
    assert [] == [one.name for one in all_of(fields) if one.kind == "document"]


@pytest.mark.parametrize(("typed_as", "position"), [("dealer", "dealer"), ("5", 5), ("", None)])
def test_a_lucky_position_is_a_seat_or_the_dealer(typed_as: str, position: str | int | None) -> None:
    """As the record has it: a number, or the word."""
    [case] = parse_cases({"id": "a", "regulation": "pa-647a", "round": {"seats": [], "lucky_position": 2}})
    found, mistakes = typed(case, **{"round.lucky_position": typed_as})
    assert (position, {}) == (found.get("lucky_position"), mistakes)


def test_a_regulation_of_no_game_has_no_fields() -> None:
    """Its records are corrected as JSON."""
    assert None is record_fields("round", "nowhere-1", {})
    assert None is record_fields("round", None, {})


PLACE = {"property": "riverside", "table": "BJ-01", "gaming_day": "2026-11-20", "shift": "day"}
COUNTED = PLACE | {
    "contents": [{"kind": "chip", "cents": 2500, "count": 1200}, {"kind": "coin", "cents": 50, "count": 40}],
    "dealer": "dealer.dan",
    "floorperson": "floor.fay",
}


@pytest.mark.parametrize(
    ("event", "data"),
    [
        ("table.opened", COUNTED | {"game": "blackjack", "card_reader": True, "dice": False}),
        ("table.counted", COUNTED | {"purpose": "shift", "begins": {"gaming_day": "2026-11-20", "shift": "swing"}}),
        ("table.counted", COUNTED | {"purpose": "spot"}),
        ("table.closed", COUNTED | {"contents": []}),
        (
            "fill.received",
            PLACE | {"number": 7, "contents": [], "received_by": "dealer.dan", "observed_by": "floor.fay"},
        ),
        ("chips.sold", PLACE | {"cents": 90_000, "dealer": "dealer.dan", "instrument": "currency", "money_play": True}),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_pit_event_comes_back_as_it_was(event: str, data: dict[str, Any]) -> None:
    """Each count of a table by denomination, and other events, with amounts as dollars."""
    fields = event_fields("instead", event)
    assert fields is not None
    form = dict(record_typed(fields, "instead", data))
    found = filled(operation_of(fields), form, UTC)
    model = KINDS[event].model
    assert {} == found.mistakes
    assert model.model_validate(data) == model.model_validate(found.body["instead"])


@pytest.mark.parametrize("event", [kind.name for kind in KINDS.on(PIT_EVENTS) if kind.model in EVENTS])
def test_no_member_of_a_pit_event_is_typed_as_json(event: str) -> None:
    """Every member has a field that a person can fill in."""
    fields = event_fields("instead", event)
    assert fields is not None
    assert [] == [one.name for one in all_of(fields) if one.kind == "document"]


def test_an_unknown_event_has_no_fields() -> None:
    """It is corrected as JSON."""
    assert None is event_fields("instead", "table.levitated")
