"""The record of a round as a form: every golden round comes back from it as the same record."""

import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from services.console.felt.record_form import record_fields, record_typed
from services.console.forms import LEFT_OUT, filled
from services.console.operations import Field, Operation
from shared.rules import REGULATIONS, CaseFile, Refused, parse_cases, parse_round
from tests.support.records import read

GOLDEN = Path(__file__).parents[3] / "golden"
FILES = sorted(GOLDEN.glob("??-*/*.yaml"))
UTC = ZoneInfo("UTC")


def typed(case: CaseFile, **changes: str) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the record and the mistakes of a form that a case fills in, with changes to what is typed."""
    record = json.loads(json.dumps(case.round))  # as the journal has it: the keys of objects are texts
    fields = record_fields("round", case.regulation, record)
    assert fields is not None
    operation = Operation(
        service="", name="", title="", description="", path="", roles=frozenset(), of_path=(), of_body=(fields,)
    )
    form = dict(record_typed(fields, "round", record)) | changes
    found = filled(operation, form, UTC)
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
    waiting: list[Field] = [fields]
    while waiting:
        one = waiting.pop()
        assert "document" != one.kind, one.name
        waiting += (*one.fields, *([one.item] if one.item else []))


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
