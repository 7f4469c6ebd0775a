"""What is wrong with a draft of a suspicious activity report is said in its own terms."""

from pathlib import Path

import pytest
import yaml

from tests.unit.cli.calling import Caller

EXAMPLE = Path(__file__).parents[4] / "docs" / "examples" / "suspicion.yaml"


@pytest.mark.parametrize(
    ("mistake", "why"),
    [
        ({"dollars": 6200.50}, "dollars: write whole dollars, without a point and without quotes"),
        ({"dollars": "6200"}, "dollars: write whole dollars, without a point and without quotes"),
        ({"last_day": "2020-01-01"}, "'last_day' is before 'first_day'"),
    ],
)
def test_a_fault_is_said_once_with_its_place(
    pitledger: Caller, tmp_path: Path, mistake: dict[str, object], why: str
) -> None:
    """A field in dollars is not asked for cents; a fault of the whole draft has no place."""
    draft = tmp_path / "draft.yaml"
    draft.write_text(yaml.safe_dump(yaml.safe_load(EXAMPLE.read_text()) | mistake))
    refused = pitledger("sar", "prepare", str(draft), "-o", str(tmp_path / "sar.xml"))
    assert (3, f"pitledger: {draft}: {why}") == (refused.code, refused.stderr.strip())
