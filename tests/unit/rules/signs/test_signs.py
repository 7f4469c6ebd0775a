"""The sign and the guide of a submission say what settles, and nothing else."""

import re
from fractions import Fraction

import pytest

from shared.rules import Refused, catalogue, parse_round, parse_submission, settle
from shared.rules.odds import Odds
from shared.rules.paytable import rows_by_category
from shared.rules.signs import Row, Sheet, guide, sign
from shared.rules.signs._model import words_of
from shared.rules.submission import select
from tests.unit.rules.signs.submissions import ALL, golden, submission_of

MOST_PAYTABLES = max(len(wager.paytables) for one in ALL for wager in catalogue(one).wagers.values())
PARAGRAPH = re.compile(r"^(.+ )?§ \S+$")


def rows_of(sheet: Sheet, wager: str) -> dict[str, Row]:
    """The rows of what a wager pays, by category."""
    [section] = [section for section in sheet.sections if section.wager == wager]
    return {row.category: row for row in section.tables[0].rows}


def odds_of(text: str) -> Odds | None:
    """The odds that a cell says; none where it says an amount or a share of the meter alone."""
    found = re.match(r"[\d,.]+ (to|for) \d+", text)
    return None if found is None else Odds.parse(found[0].replace(",", ""))


@pytest.mark.parametrize("column", range(MOST_PAYTABLES))
@pytest.mark.parametrize("regulation", ALL)
def test_each_row_that_settles_is_on_the_sign_with_its_odds(regulation: str, column: int) -> None:
    """Of every paytable, read back from the words, against what the game settles by."""
    submission = submission_of(regulation, column)
    selection, sheet = select(catalogue(regulation), submission), sign(regulation, submission)
    assert [section.wager for section in sheet.sections if section.wager] == list(selection.offers)
    for wager, offer in selection.offers.items():
        shown = rows_of(sheet, wager)
        settled = rows_by_category(offer)
        for base in list(settled.values()):
            settled |= {more.category: more for more in (base.instead, base.bonus) if more is not None}
        assert shown.keys() == settled.keys()
        for category, row in settled.items():
            pays = " ".join(shown[category].cells[1:])
            assert row.paragraph == shown[category].paragraph
            if offer.paytable.stake is not None and "$" in shown[category].cells[1]:
                amount = re.search(r"\$([\d,]+(\.\d\d)?)", pays)
                assert amount is not None
                cents = round(float(amount[1].replace(",", "")) * 100)
                assert cents == row.odds.pay(offer.paytable.stake)
            elif row.odds.ratio:
                assert odds_of(shown[category].cells[1]) == row.odds
            assert row.meter == (0 if "meter" not in pays else _share(pays)) or row.off_meter
            assert (f"${row.envy // 100:,}" in pays) or not row.envy


def _share(pays: str) -> Fraction:
    found = re.search(r"([\d.]+)% of the meter", pays)
    return Fraction(1) if found is None else Fraction(found[1]) / 100


@pytest.mark.parametrize("regulation", ALL)
def test_golden_rounds_pay_what_their_sign_says(regulation: str) -> None:
    """Every winning line of every golden round that names its hand, without a meter or a limit."""
    held = 0
    for case in golden(regulation):
        submission = parse_submission(case.submission)
        sheet = sign(regulation, submission)
        for line in settle(regulation, parse_round(regulation, case.round), submission).lines:
            if line.outcome != "win" or line.category is None or line.from_meter or not line.stake:
                continue
            sections = [section for section in sheet.sections if section.wager == line.wager]
            rows = [row for section in sections for row in section.tables[0].rows if row.category == line.category]
            odds = [odds_of(cell) for row in rows for cell in row.cells[1:] if row.paragraph == line.paragraph]
            said = [one.pay(line.stake) for one in odds if one is not None]
            if said:
                assert line.payout in said
                held += 1
    assert held > 0


@pytest.mark.parametrize("regulation", ALL)
def test_every_line_has_its_paragraph(regulation: str) -> None:
    """Of the sign and of the guide, and every sentence is filled in."""
    for sheet in (sign(regulation, submission_of(regulation)), guide(regulation, submission_of(regulation))):
        lines = [one for section in sheet.sections for one in section.stated]
        rows = [row for section in sheet.sections for table in section.tables for row in table.rows]
        assert lines
        assert all(PARAGRAPH.match(said) for said in [one.paragraph for one in lines] + [row.paragraph for row in rows])
        assert not [one.text for one in lines if re.search(r"[{}_]", one.text)]
        assert not [cell for row in rows for cell in row.cells if "_" in cell]


@pytest.mark.parametrize("regulation", ALL)
def test_every_option_is_told(regulation: str) -> None:
    """By a row that it offers, by odds that it selects, or in a sentence; every wager has how it wins."""
    allowed, words = catalogue(regulation), words_of(regulation)
    told = {name for one in words.play for name in (*one.when, *one.unless)}
    told |= {name for one in words.play for name in one.mentioned}
    rows = [row for wager in allowed.wagers.values() for table in wager.paytables for row in table.rows]
    told |= {name for row in rows for name in (row.option, row.odds_from) if name is not None}
    if any("house way" in one.says for one in words.play):
        told.add("house_way")
    options = {*allowed.options, *(name for wager in allowed.wagers.values() for name in wager.options)}
    assert set() == options - told
    assert set(allowed.wagers) == set(words.wins)
    assert set() == words.hands.keys() - {row.category for row in rows}


def test_odds_that_an_option_selects_are_on_the_sign() -> None:
    """And settle: Rhode Island's main wager and the one on the starting position."""
    options = {"main_payout": "1 to 1", "starting_position_odds": "5.75"}
    submission = parse_submission({"wagers": {"starting_position": {}}, "options": options})
    sheet = sign("ri-pai-gow", submission)
    assert "1 to 1" == rows_of(sheet, "pai_gow_poker")["win"].cells[1]
    assert "5.75 to 1" == rows_of(sheet, "starting_position")["number_drawn"].cells[1]


def test_bounds_limit_meter_and_options_are_told() -> None:
    """In dollars and percent, as a patron reads them; what was not selected is left out."""
    document = {
        "decks": 6,
        "payout_limit": 2_500_000,
        "options": {"even_money": True, "resplits": 3},
        "bets": {"blackjack": {"least": 1500, "most": 500_000}},
        "wagers": {"bad_beat_progressive": {"meter": {"rate": "0.205", "reset": 500_000}}},
    }
    sheet = sign("pa-633a-2024", parse_submission(document))
    said = [one.text for section in sheet.sections for one in section.stated]
    assert "Wager at least $15 and at most $5,000." in said
    assert "The meter begins at $5,000, goes back to it, and gains 20.5% of every wager." in said
    assert "The dealer draws to 16 and stands on all 17s." in said
    assert any(text.startswith("Payout limit: $25,000 for a pair of queens of hearts") for text in said)
    assert any("even money" in text for text in said)
    assert not any("Switch" in text or "House Money" in text for text in said)
    played = guide("pa-633a-2024", parse_submission(document)).sections[0]
    assert "A split pair may be split again, at most 3 more times, aces included." in [
        one.text for one in played.stated
    ]


def test_who_earns_envy_bonuses_is_told() -> None:
    """From what wager on, or with any; and the table of a wager whose bonuses hang on its amount."""
    sheets = {
        regulation: sign(regulation, submission_of(regulation)) for regulation in ("pa-687a", "pa-688a", "pa-647a")
    }
    said = {name: [one.text for section in sheet.sections for one in section.stated] for name, sheet in sheets.items()}
    assert "The wager earns Envy Bonuses for hands of other players." in said["pa-687a"]
    assert "A wager of $5 or more earns Envy Bonuses for hands of other players." in said["pa-688a"]
    [progressive] = [one for one in sheets["pa-647a"].sections if one.wager == "progressive_payout"]
    assert ("Straight flush", "$1,500") == progressive.tables[2].rows[1].cells


@pytest.mark.parametrize("regulation", ["pa-633a-2011", "pa-633a-2024"])
def test_blackjack_switch_has_rules_of_its_own(regulation: str) -> None:
    """No surrender, ties with a dealer 22; and none of it without Switch."""
    said = {
        switch: " ".join(
            one.text
            for section in sign(regulation, parse_submission({"decks": 6, "options": {"switch": switch}})).sections
            for one in section.stated
        )
        for switch in (False, True)
    }
    assert "may surrender half" in said[False]
    assert "Switch" not in said[False]
    assert "may surrender half" not in said[True]
    assert "cannot be surrendered" in said[True]
    assert "dealer 22" in said[True]


def test_what_is_not_allowed_has_no_sign() -> None:
    """With the paragraph that forbids it."""
    with pytest.raises(Refused, match="decks"):
        sign("pa-686a", parse_submission({"decks": 3}))
