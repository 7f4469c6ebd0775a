"""`pitledger whatif` on a running stack: a gaming day settled again, and gone on with."""

import json
from pathlib import Path
from typing import Any

import pytest

from services.cli.stack.running_stack import RunningStack
from tests.support.rounds import TABLES
from tests.support.stack import TABLE, altered
from tests.unit.cli.calling import Caller

pytestmark = [pytest.mark.broker, pytest.mark.any_broker]

SERVICES = ("round-settlement",)
DAY = ("--day", "2026-11-20")
NOTHING = {"handle_cents": 0, "payout_cents": 0, "win_cents": 0}


@pytest.fixture
def submission(tmp_path: Path) -> Path:
    """The submission under which the day was played, as a file."""
    return _written(tmp_path / "submission.json", decks=6)


def _written(path: Path, regulation: str = "pa-633a-2024", **selected: Any) -> Path:
    document = {"property": "riverside", "game": "blackjack", "regulation": regulation, "tables": TABLES}
    path.write_text(
        json.dumps(document | {"effective_from": "2026-12-01T06:00:00-05:00", "submission": selected}), encoding="utf-8"
    )
    return path


def test_the_same_rules_come_to_the_same(pitledger: Caller, submission: Path) -> None:
    """Five rounds of $100, the corrected one as it stands: what was recorded is what comes out, however it is cut."""
    called = pitledger("whatif", str(submission), *DAY, "--json")
    [document] = called.documents
    assert (0, 5, {}) == (called.code, document["rounds"], document["refused"])
    assert NOTHING == document["total"]["difference"]
    assert (50_000, document["total"]["recorded"]) == (
        document["total"]["other"]["handle_cents"],
        document["total"]["other"],
    )
    for by, name in (("wager", "blackjack"), ("table", TABLE), ("gaming_day", "2026-11-20")):
        [row] = document[f"by_{by}"]
        assert (name, document["total"]["other"]) == (row[by], row["other"])


def test_other_minimums_come_to_more_or_to_less(
    stack: RunningStack, pitledger: Caller, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Five wagers of $100 under a minimum of $150 are $750, or all are gone; what is assumed is said."""
    monkeypatch.setenv("PITLEDGER_TOKEN", stack.home.tokens["demo.auditor"])
    asked = ("minimums", "--property", "riverside", "--game", "blackjack", "--first", "2026-11-20")
    called = pitledger(*asked, "--minimum", "150", "--minimum", "50.00", "--json")
    [document] = called.documents
    assert (0, 5, [5_000, 15_000]) == (
        called.code,
        document["rounds"],
        [one["minimum_cents"] for one in document["minimums"]],
    )
    assert [(0, 50_000, 50_000), (5, 75_000, 0)] == [
        (one["total"]["seats_below"], *(one["total"][side]["handle_cents"] for side in ("raised", "left")))
        for one in document["minimums"]
    ]
    called = pitledger(*asked, "--minimum", "150")
    assert (0, True) == (called.code, "750.00" in called.stdout)
    assert "Assumed: whoever wagered less" in called.stderr
    assert "blackjack, version 1: no house edge" in called.stderr
    for wrong in ("ten", "0", "12.505"):
        called = pitledger(*asked, "--minimum", wrong)
        assert (2, True) == (called.code, "such as 25 or 12.50" in called.stderr), called.stderr
    for more, said in (
        (("--property", "riversid"), "there is no property 'riversid', or no version of it is approved"),
        (("--last", "2026-11-19"), "the last gaming day, 2026-11-19, is before the first, 2026-11-20"),
        (("--game", "baccarat"), "no round of baccarat at riverside stands from 2026-11-20 to 2026-11-20"),
    ):
        called = pitledger(*asked, "--minimum", "150", *more)
        assert said in called.stderr, called.stderr
        assert called.code != 0


def test_rounds_that_other_rules_do_not_allow_are_counted_with_the_reason(pitledger: Caller, tmp_path: Path) -> None:
    """People read why; nothing of such rounds is in a sum."""
    called = pitledger("whatif", str(_written(tmp_path / "other.json", "pa-633a-2011", decks=6)), *DAY)
    assert 0 == called.code
    assert "5 rounds not settled again: the round is one under pa-633a-2024" in called.stderr


def test_a_run_goes_on_where_another_stood(stack: RunningStack, pitledger: Caller, submission: Path) -> None:
    """What is remembered is not read again: it stays as it was when entries say something else, and new runs do not."""
    command = ("whatif", str(submission), *DAY, "--json", "--processes", "1")
    kept = ("--resume", str(submission.with_suffix(".whatif")))
    [first] = pitledger(*command, *kept).documents
    replaced = """replace(data::text, '"handle_cents":{}', '"handle_cents":{}')::json"""
    change = f"UPDATE round_settlement.entries SET data = {replaced} WHERE event_id = '{TABLE}-1'"
    with altered(stack, "entries", change.format("10000,", "20000,"), change.format("20000,", "10000,")):
        [again] = pitledger(*command, *kept).documents
        [anew] = pitledger(*command).documents
    assert first == again
    assert (60_000, -10_000) == (anew["total"]["recorded"]["handle_cents"], anew["total"]["difference"]["handle_cents"])


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ((), 2, "give --day or --month"),
        (("--day", "yesterday"), 2, "YYYY-MM-DD"),
        (("--month", "2026-10"), 4, "no round of blackjack stands at riverside from 2026-10-01 to 2026-10-31"),
        ((*DAY, "--table", "BJ-99"), 2, "the submission lists BJ-01"),
    ],
)
def test_a_wrong_question_names_the_way_out(
    pitledger: Caller, submission: Path, words: tuple[str, ...], code: int, said: str
) -> None:
    """No page of zeros."""
    called = pitledger("whatif", str(submission), *words)
    assert (code, True) == (called.code, said in called.stderr), called.stderr
