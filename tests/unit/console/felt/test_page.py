"""The page of a round as data: lines with what they stand on, postings, revisions side by side, evidence."""

import copy
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.console.felt import view_of
from services.console.felt.lines import lines_of_entry
from services.console.felt.page import regulation_of
from services.console.felt.readings import PATH, cite_of, cites, packed, readings_of, under
from services.console.views import environment
from shared.rules import REGULATIONS, catalogue, parse_cases, parse_round, parse_submission, settle
from tests.support.records import read
from tests.support.shown_rounds import CORRECTION, ShownRound, shown_round

ROOT = Path(__file__).parents[4]
EXAMPLE = yaml.safe_load((ROOT / "docs" / "examples" / "round.yaml").read_text())
FILES = sorted((ROOT / "tests" / "golden").glob("??-*/*.yaml"))


def example(corrected: dict[str, Any] | None = None) -> ShownRound:
    return shown_round(EXAMPLE["round"], EXAMPLE["regulation"], EXAMPLE["submission"], corrected=corrected)


def corrected_record() -> dict[str, Any]:
    """The example with the third card of seat 4 read as a ten-value less: it did not bust."""
    record: dict[str, Any] = copy.deepcopy(EXAMPLE["round"])
    record["seats"][2]["hands"] = [{"cards": ["9c", "5d", "5c"]}]
    return record


def test_each_line_says_outcome_odds_amounts_and_paragraph() -> None:
    """The Blackjack of the example: paid 3 to 2, by the row of the catalogue, under its paragraph."""
    shown = example()
    view = view_of(shown.document, shown.catalogue)
    [line] = [one for one in view.lines if one.category == "blackjack"]
    assert ("1", "Blackjack", "won", "3 to 2") == (line.seat, line.wager, line.outcome, line.odds)
    assert ("$25.00", "$37.50", "$25.00", "$37.50") == (
        line.amounts.stake,
        line.amounts.payout,
        line.amounts.returned,
        line.amounts.net,
    )
    assert line.paragraph.startswith("§ 633a.")
    assert line.rules is not None
    assert [("blackjack", "3 to 2")] == [(row.category, row.pays) for row in line.rules.rows if row.paid]


def test_the_totals_are_those_of_the_players() -> None:
    """Staked, paid and returned add up over the lines of the players."""
    shown = example()
    view, lines = view_of(shown.document, shown.catalogue), shown.document["lines"]
    assert view.totals is not None
    assert f"${sum(line['stake'] for line in lines) / 100:,.2f}" == view.totals.stake
    assert f"${sum(line['payout'] for line in lines) / 100:,.2f}" == view.totals.payout


def test_postings_have_accounts_in_words_and_sum_to_zero() -> None:
    """Every posting is a debit or a credit on an account that people can name."""
    view = view_of(example().document)
    assert "$0.00" == view.postings_sum
    assert {"Wagers made", "Paid and returned to players", "Chips in the table inventory"} == {
        posting.account for posting in view.postings
    }
    assert all(bool(posting.debit) != bool(posting.credit) for posting in view.postings)


def test_a_correction_shows_who_and_why_and_what_changed() -> None:
    """Both revisions stand side by side; only the line and the cards that changed are marked."""
    shown = example(corrected_record())
    view = view_of(shown.document, shown.catalogue)
    assert "posted, corrected once" == view.status
    assert ["Posted", "Reversed", "Posted"] == [revision.kind for revision in view.revisions]
    assert [False, False, True] == [revision.standing for revision in view.revisions]
    assert (CORRECTION["reason"], CORRECTION["entered_by"], CORRECTION["approved_by"]) == (
        view.revisions[2].reason,
        view.revisions[2].entered_by,
        view.revisions[2].approved_by,
    )
    assert ["Seat 4: Blackjack", "Seat 4, p4: as recorded"] == [row.about for row in view.compared if row.is_changed]
    [line] = [row for row in view.compared if row.about == "Seat 4: Blackjack"]
    assert ["$10.00: lost", "$10.00: won $10.00"] == [cell.text for cell in line.cells]


def test_the_history_has_its_moments_on_the_clock_of_the_property() -> None:
    """A moment is shown in the property's zone, and in UTC, which it says, where no zone is known."""
    template, view = environment().get_template("round/revisions.html"), view_of(example().document)
    assert ">2026-11-20 07:00:00</time>, recorded" in template.render(view=view, zone="America/New_York")
    assert ">2026-11-20 12:00:00 UTC</time>, recorded" in template.render(view=view, zone=None)


def test_one_revision_is_not_compared() -> None:
    """A round that was never corrected has nothing side by side."""
    view = view_of(example().document)
    assert ((), ()) == (view.compared, view.compared_revisions)


def test_evidence_names_hashes_checkpoint_and_where_the_proof_is() -> None:
    """Every entry has its event, its hashes as recorded, and the address of its proof below the console's own path."""
    shown = example(corrected_record())
    view = view_of(shown.document, proofs="/p/riverside")
    assert [entry["hash"] for entry in shown.document["entries"]] == [one.hash for one in view.evidence]
    assert [f"/p/riverside{path}" for path in shown.proofs] == [one.proof for one in view.evidence]
    assert all(one.is_as_recorded for one in view.evidence)


def test_an_entry_that_no_checkpoint_covers_has_no_proof_yet() -> None:
    """Without a checkpoint nothing is offered to be verified."""
    document = example().document
    document["entries"][0]["checkpoint"] = None
    [evidence] = view_of(document).evidence
    assert ("", "") == (evidence.proof, evidence.checkpoint_note)


def test_an_altered_entry_is_said_to_be_altered() -> None:
    """What the service found to be another hash is never shown as verified."""
    document = example().document
    document["entries"][0]["hash_verified"] = False
    [evidence] = view_of(document).evidence
    assert not evidence.is_as_recorded


def test_a_round_voided_before_any_record_came_has_a_page() -> None:
    """Nothing lies on the felt, no regulation is named, and the history says what happened."""
    document = example().document
    [entry] = document["entries"]
    document |= {"status": "void", "revision": 0, "shard": None, "seq": None, "lines": [], "postings": []}
    about = {name: value for name, value in entry["data"].items() if name not in ("record", "lines", "revision")}
    entry |= {"kind": "settlement.voided", "data": about | {"correction": CORRECTION}, "postings": []}
    del about["regulation"]
    entry["submission"] = None
    view = view_of(document)
    assert (None, None) == (view.felt, regulation_of(document))
    assert "void, no posting in force" == view.status
    assert ["Voided before any record arrived"] == [revision.kind for revision in view.revisions]


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_every_winning_category_of_the_golden_rounds_is_a_row_of_the_catalogue(path: Path) -> None:
    """A line that a row of a paytable paid shows that row, with its odds, whatever the regulation."""
    for case in parse_cases(read(path)):
        if case.expect is None:
            continue
        settled = settle(case.regulation, parse_round(case.regulation, case.round), parse_submission(case.submission))
        data = {"regulation": case.regulation, "lines": [line.as_document() for line in settled.lines]}
        rules = catalogue(case.regulation).model_dump(mode="json", exclude_none=True)
        for line, shown in zip(settled.lines, lines_of_entry(data, rules, case.submission), strict=True):
            assert shown.rules is not None or line.wager not in rules["wagers"]
            if line.category is not None and shown.rules is not None and line.outcome == "win":
                paid = [row for row in shown.rules.rows if row.paid]
                if line.wager == "match_the_dealer" and not paid:
                    assert re.search(r"^two_|_and_", line.category), case.id  # adds up two rows
                    continue
                assert [line.category.replace("_", " ")] == [row.category for row in paid], case.id
                assert paid[0].pays == shown.odds


def test_the_packaged_readings_are_those_of_the_contract() -> None:
    """Every regulation has its readings, as `make generated` writes them."""
    assert packed(ROOT) == (ROOT / PATH).read_text()
    for regulation in REGULATIONS:
        page = (ROOT / "docs" / "contract" / f"readings-{regulation}.md").read_text()
        rows = [line for line in page.split("\n\n## ")[0].split("\n") if re.match(r"\| (?!paragraph|---)", line)]
        assert len(rows) == len(readings_of(regulation))


def test_a_paragraph_finds_its_readings() -> None:
    """A line falls under the readings of its paragraph, of what that is a part of, and of its parts."""
    found = under("§ 633a.13(o)", readings_of("pa-633a-2024"))
    assert ["13(o)", "13(o)"] == [one.paragraph for one in found]
    assert under("§ 633a.12(a)(5)(v)", readings_of("pa-633a-2024"))
    assert () == under("§ 633a.2(a)", readings_of("pa-633a-2024"))
    assert under("R.I. Table Game Rules § 6(l)(9)", readings_of("ri-pai-gow"))


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_every_reading_names_a_place_that_is_understood(regulation: str) -> None:
    """Each reading has a paragraph in its first cell that lines can be held against, but for a chapter's heading."""
    without = {one.paragraph for one in readings_of(regulation) if not cites(one.paragraph)}
    assert without <= {"Authority, Source"}


def test_a_paragraph_that_is_none_has_no_readings() -> None:
    """What no text numbers falls under nothing."""
    assert None is cite_of("house rules")
    assert () == under("house rules", readings_of("pa-633a-2024"))
