"""The pages of the regulations are generated from the catalogues."""

from pathlib import Path

import pytest

from shared.rules import REGULATIONS, Refused
from shared.rules.document import main, page

DOCS = Path(__file__).parents[3] / "docs"


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_the_committed_page_is_up_to_date(regulation: str) -> None:
    """Whoever changes a catalogue generates its page again, and the readings that it links to exist."""
    committed = (DOCS / "games" / f"{regulation}.md").read_text(encoding="utf-8")
    assert committed == page(regulation), f"run: python -m shared.rules.document {regulation}"
    assert (DOCS / "contract" / f"readings-{regulation}.md").is_file()


def test_the_command_prints_a_page(capsys: pytest.CaptureFixture[str]) -> None:
    """The page goes to stdout, what went wrong to stderr."""
    assert main(["pa-633a-2024"]) == 0
    assert page("pa-633a-2024") == capsys.readouterr().out
    assert main([]) == 2
    assert main(["pa-000"]) == 2
    assert "regulation 'pa-000' is not known" in capsys.readouterr().err


def test_an_unknown_regulation_has_no_page() -> None:
    """The refusal says which there are."""
    with pytest.raises(Refused, match="known are"):
        page("pa-000")
