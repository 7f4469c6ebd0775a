"""Rounds on the felt: every golden round of every regulation, and records of any form at all."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.console.felt import describe, draw
from services.console.felt.felts import Felt
from services.console.felt.games import felt_of
from services.console.felt.words import GAMES, title
from shared.rules import CaseFile, catalogue, parse_cases, parse_round, parse_submission, settle
from tests.support.records import read

GOLDEN = Path(__file__).parents[3] / "golden"
FILES = sorted(GOLDEN.glob("??-*/*.yaml"))
SVG = "{http://www.w3.org/2000/svg}"
ALLOWED = {"svg", "title", "desc", "defs", "symbol", "path", "g", "rect", "circle", "use", "text"}


@cache
def rounds_of(path: Path) -> tuple[tuple[CaseFile, str, dict[str, Any] | None], ...]:
    """Return the cases of a file, each with its game and, where it settles, its settlement."""
    return tuple((case, catalogue(case.regulation).game, settlement_of(case)) for case in parse_cases(read(path)))


def settlement_of(case: CaseFile) -> dict[str, Any] | None:
    if case.expect is None:
        return None
    settled = settle(case.regulation, parse_round(case.regulation, case.round), parse_submission(case.submission))
    return {"lines": [line.as_document() for line in settled.lines]}


def flat(cards: Any) -> Iterator[str]:
    for card in cards or ():
        yield from flat(card) if isinstance(card, list) else (str(card),)


def cards_of(record: Mapping[str, Any]) -> Counter[str]:
    """Return how often each card must lie on the felt: what was dealt lies there once, though the hands repeat it."""
    found: Counter[str] = Counter()
    for seat in record["seats"]:
        played = Counter(card for hand in seat.get("hands", ()) for card in flat(hand["cards"]))
        found += Counter(flat(seat.get("cards"))) + (played | Counter(flat(seat.get("dealt"))))
    found += Counter(flat((record.get("dealer") or {}).get("cards"))) + Counter(flat(record.get("community")))
    return found + Counter(record[name] for name in ("magic_card", "spare_card") if name in record)


def drawn_cards(svg: str) -> Counter[str]:
    return Counter(
        element.attrib["data-card"]
        for element in ElementTree.fromstring(svg).iter(f"{SVG}g")
        if "data-card" in element.attrib
    )


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_draws_every_golden_round_with_all_of_its_cards(path: Path) -> None:
    """A round that settles has no part that the felt does not know, and all of its cards lie there, in both shapes."""
    for case, game, settlement in rounds_of(path):
        if settlement is None:
            continue
        assert () == felt_of(case.round, settlement, game=game).unknown, case.id
        for svg in (draw(case.round, settlement, game=game), draw(case.round, settlement, game=game, shape="narrow")):
            assert cards_of(case.round) == drawn_cards(svg), case.id


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_says_every_wager_and_every_outcome_in_words(path: Path) -> None:
    """The text beside the drawing names each line's wager with its stake, and what was won."""
    for case, game, settlement in rounds_of(path):
        said = " ".join(describe(case.round, settlement, game=game))
        for line in (settlement or {"lines": []})["lines"]:
            assert title(line["wager"]) in said, case.id
            if line["stake"]:
                assert f"${line['stake'] // 100:,}.{line['stake'] % 100:02}" in said, case.id
            if line["payout"] > 0:
                assert f"won ${line['payout'] // 100:,}.{line['payout'] % 100:02}" in said, case.id


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_keeps_the_strict_content_policy(path: Path) -> None:
    """A drawing has no script, no style attribute, no handler, and refers to nothing but its own symbols."""
    for case, game, settlement in rounds_of(path):
        svg = draw(case.round, settlement, game=game, name="one")
        root = ElementTree.fromstring(svg)
        ids = {element.attrib["id"] for element in root.iter() if "id" in element.attrib}
        for element in root.iter():
            assert element.tag.removeprefix(SVG) in ALLOWED
            assert not any(name == "style" or name.startswith("on") for name in element.attrib)
            if "href" in element.attrib:
                assert element.attrib["href"].removeprefix("#") in ids
        assert all(name.startswith("one-") for name in ids)


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_knows_the_game_by_its_wagers(path: Path) -> None:
    """Without being told the game, a round that settles is drawn as its game, or as cards and wagers at least."""
    for case, game, settlement in rounds_of(path):
        if settlement is not None:
            told, found = felt_of(case.round, game=game), felt_of(case.round)
            assert found.game in (told.game, "unknown"), case.id
            assert [seat.name for seat in found.seats] == [seat.name for seat in told.seats]


def boxes(svg: str) -> list[tuple[float, float, float, float]]:
    """Return left, top, right and bottom of each place's frame."""
    found = []
    for group in ElementTree.fromstring(svg).findall(f"{SVG}g"):
        frame = group.find(f"{SVG}rect")
        if frame is not None and frame.attrib["class"] == "place-frame":
            x, y = map(float, re.findall(r"[-\d.]+", group.attrib["transform"]))
            found.append((x, y, x + float(frame.attrib["width"]), y + float(frame.attrib["height"])))
    return found


@pytest.mark.parametrize("shape", ["wide", "narrow"])
@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_no_two_places_overlap_and_none_leaves_the_felt(path: Path, shape: Any) -> None:
    """Every place has room of its own within the drawing."""
    for case, game, settlement in rounds_of(path):
        svg = draw(case.round, settlement, game=game, shape=shape)
        width, height = map(float, ElementTree.fromstring(svg).attrib["viewBox"].split()[2:])
        places = boxes(svg)
        assert len(places) == 1 + len(case.round["seats"])
        for at, (left, top, right, bottom) in enumerate(places):
            assert 0 <= left < right <= width, case.id
            assert 0 <= top < bottom <= height, case.id
            for other in places[:at]:
                assert right <= other[0] or other[2] <= left or bottom <= other[1] or other[3] <= top, case.id


def test_seats_lie_in_table_order_whatever_order_the_record_has() -> None:
    """Seat 1, at the dealer's far left, comes first."""
    seats = [{"seat": number, "player": "p", "wagers": {"blackjack": 100}} for number in (6, 1, 3)]
    felt = felt_of({"seats": seats, "dealer": {"cards": []}})
    assert ["Seat 1, p", "Seat 3, p", "Seat 6, p"] == [seat.name for seat in felt.seats]


def test_decisions_of_blackjack_are_said_in_words() -> None:
    """Split, hit, double, stand and bust are words at the hands that they were decided on."""
    record = {
        "seats": [
            {
                "seat": 2,
                "player": "p1",
                "wagers": {"blackjack": 10000},
                "dealt": ["8h", "8d"],
                "hands": [
                    {"cards": ["8h", "3c", "Td"], "double": 10000},
                    {"cards": ["8d", "2s", "4h", "Ks"]},
                    {"cards": ["8c", "As"]},
                ],
            }
        ],
        "dealer": {"cards": ["6s", "Td", "5h"]},
    }
    [seat] = felt_of(record).seats
    assert ("split into 3 hands",) == seat.said
    assert [("doubled for $100.00", "21"), ("hit 2 times", "bust with 24"), ("stood on soft 19",)] == [
        hand.said for hand in seat.hands
    ]


def test_decisions_of_poker_games_are_said_in_words() -> None:
    """Bets, checks, raises and folds are words at the seat."""
    board = ["9h", "8h", "7h", "Kd", "4d"]
    holdem = felt_of({"seats": [{"seat": 1, "wagers": {"ante": 500, "flop": 1000, "river": 500}}], "community": board})
    assert ("bet the Flop $10.00", "checked the Turn", "bet the River $5.00") == holdem.seats[0].said
    wild = felt_of(
        {"seats": [{"seat": 1, "wagers": {"ante": 500, "blind": 500, "raise": 1000}, "cards": ["2s", "Jk"]}]}
    )
    assert ("raised 2× the Ante",) == wild.seats[0].said
    assert frozenset({0, 1}) == wild.seats[0].hands[0].wild


def test_a_seat_that_set_its_cards_shows_the_high_and_the_low_hand() -> None:
    """Of the seven cards those of the low hand lie apart, also where two decks deal a card twice."""
    cards = ["As", "As", "Kd", "9h", "8h", "7c", "2d"]
    record = {"seats": [{"seat": 1, "wagers": {"pai_gow_poker": 500}, "cards": cards, "low": ["As", "Kd"]}]}
    [seat] = felt_of(record).seats
    assert [("Low hand", ("As", "Kd")), ("High hand", ("As", "9h", "8h", "7c", "2d"))] == [
        (hand.name, hand.cards) for hand in seat.hands
    ]


def test_what_a_felt_does_not_know_is_shown_as_text() -> None:
    """An unknown field, card or amount is named in the drawing, escaped, and nothing is lost for it."""
    seat = {"seat": 1, "player": "p", "wagers": {"blackjack": "many"}, "dealt": ["Zz", "As"], "hands": [], "hat": "<b>"}
    svg = draw({"seats": [seat], "dealer": {"cards": ["Kd"]}, "weather": "rain"}, game="blackjack")
    said = " ".join("".join(element.itertext()) for element in ElementTree.fromstring(svg).iter(f"{SVG}desc"))
    for part in ("hat <b>", "unknown card Zz", "blackjack many", "weather rain"):
        assert part in said
    assert Counter({"As": 1, "Kd": 1}) == drawn_cards(svg)


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from(["As", "Jk", "2d", "dealer"]),
    lambda inner: st.lists(inner, max_size=8) | st.dictionaries(st.text() | st.integers(), inner, max_size=6),
    max_leaves=8,
)
SEAT = st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(
        ("seat", "player", "wagers", "cards", "low", "dealt", "hands", "picks", "folded", "switched", "hat"), ODD
    ),
)
RECORD = st.fixed_dictionaries(
    {"seats": ODD | st.lists(SEAT, max_size=20)},
    optional=dict.fromkeys(
        ("dealer", "community", "meters", "irregularities", "bank", "spare_card", "lucky_seat"), ODD
    ),
)
LINE = st.fixed_dictionaries(
    {}, optional=dict.fromkeys(("seat", "wager", "outcome", "stake", "payout", "hand", "category"), ODD)
)


# Records of this form are slow to make up where other tests run beside.
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(
    record=RECORD | ODD,
    settlement=ODD | st.fixed_dictionaries({"lines": st.lists(LINE, max_size=5) | ODD}),
    game=st.sampled_from([*GAMES, "unheard_of", None]),
)
def test_no_record_whatever_it_holds_makes_a_drawing_fail(record: Any, settlement: Any, game: str | None) -> None:
    """Whatever stands in a record, the drawing is well-formed XML and the text has lines."""
    for svg in (draw(record, settlement, game=game), draw(record, settlement, game=game, shape="narrow")):
        ElementTree.fromstring(svg)
    assert describe(record, settlement, game=game)


def test_a_record_too_long_for_a_page_is_cut_off_and_says_so() -> None:
    """Thousands of seats or cards neither fill the page nor vanish unsaid."""
    seats = [{"seat": number, "wagers": {"ante": 100}, "cards": ["As"] * 5000} for number in range(1, 5001)]
    felt: Felt = felt_of({"seats": seats}, game="over_under")
    assert len(felt.seats) == 16
    assert any("of 5000 are shown" in what for what in felt.unknown)
    assert len(draw({"seats": seats}, game="over_under")) < 1_000_000
