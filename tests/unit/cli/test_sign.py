"""`pitledger sign`: the sign and the guide of a submission offline."""

import json
from pathlib import Path

import pytest

from tests.unit.cli.calling import Caller

EXAMPLE = str(Path(__file__).parents[3] / "docs/examples/submission.json")


def test_the_sign_of_a_submission_is_written(pitledger: Caller, tmp_path: Path) -> None:
    """HTML unless pages are asked for, to a file."""
    page, pages = tmp_path / "sign.html", tmp_path / "sign.pdf"
    assert 0 == pitledger("sign", EXAMPLE, "-o", str(page)).code
    assert "11 to 1" in page.read_text()
    assert "Payout odds" in page.read_text()
    assert 0 == pitledger("sign", EXAMPLE, "--as", "pdf", "-o", str(pages)).code
    assert pages.read_bytes().startswith(b"%PDF-")


def test_the_guide_says_how_the_game_is_played(pitledger: Caller, tmp_path: Path) -> None:
    """Beside what the sign says."""
    page = tmp_path / "guide.html"
    called = pitledger("sign", "--guide", EXAMPLE, "-o", str(page))
    assert (0, "") == (called.code, called.stdout)
    assert "How the game is played" in page.read_text()
    assert "11 to 1" in page.read_text()


@pytest.mark.parametrize("document", [[1], {"submission": {}}, {"regulation": "pa-686a", "submission": {"decks": 3}}])
def test_what_is_no_submission_has_no_sign(pitledger: Caller, tmp_path: Path, document: object) -> None:
    """The reason is said, and nothing is written."""
    file, page = tmp_path / "submission.json", tmp_path / "sign.html"
    file.write_text(json.dumps([document]))
    called = pitledger("sign", str(file), "-o", str(page))
    assert 3 == called.code
    assert "refused" in called.stderr
    assert not page.exists()
