"""A jurisdiction is one folder: a made-up one in a temporary folder, as it should be and as it should not."""

from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from shared.jurisdictions import GamingPack, Packs, PackWrong, load_pack
from shared.jurisdictions.document import page

ROOT = Path(__file__).parents[3] / "shared" / "jurisdictions"
Document = dict[str, Any]


def dated(value: Any, since: str = "2020-01-01", **more: Any) -> Document:
    """A value with its source."""
    return {"value": value, "effective_from": date.fromisoformat(since), "source": "§ 1", "status": "confirmed"} | more


@pytest.fixture
def document() -> Document:
    """The pack of Atlantis: that of Rhode Island, with a game of its own."""
    found: Document = yaml.safe_load((ROOT / "us-ri" / "pack.yaml").read_text())
    game = found["equipment"].pop("ri-pai-gow")
    return found | {
        "id": "atlantis",
        "title": "Atlantis",
        "regulations": ["atlantis-dice"],
        "equipment": {"atlantis-dice": game},
        "vigorish": {"atlantis-dice": [dated("0.04"), dated("0.03", "2025-01-01")]},
    }


@pytest.fixture
def write(tmp_path: Path) -> Callable[[Document], Path]:
    """Writes a pack into its folder, which is returned."""

    def put(document: Document, folder: str = "atlantis") -> Path:
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "pack.yaml").write_text(yaml.safe_dump(document))
        return tmp_path / folder

    return put


Write = Callable[..., Path]


def test_a_folder_is_a_pack(document: Document, write: Write) -> None:
    """It is found among the others, by its id and by its regulation, and has a page."""
    packs = Packs.below(ROOT, write(document).parent)
    assert ["us-federal", "us-pa", "us-ri", "atlantis"] == list(packs.by_id)
    found = packs.pack_of_regulation("atlantis-dice")
    assert found is packs.gaming_pack("atlantis")
    rates = found.vigorish["atlantis-dice"]
    assert ["0.04", "0.03"] == [rates.on(day).value for day in (date(2024, 12, 31), date(2025, 1, 1))]
    assert "| `atlantis-dice` | 2025-01-01 | 3% | § 1 | confirmed |" in page(found)


def test_all_problems_are_said_at_once(document: Document, write: Write) -> None:
    """Each with its place: what a hurried author of a pack gets wrong."""
    document["limits"]["variance_report_cents"] = [dated(25.5)]
    document["limits"]["serial_exceptions"] = [dated(2)]
    document["limits"]["adjustment_listed_cents"] = [dated(200000, source=" ")]
    document["limits"]["hold_variance"] = []
    document["accounts"]["loosening_hours"] = [dated(23)]
    document["accounts"]["lock_minutes"] = [dated(30, "2021-01-01"), dated(60, "2021-01-01")]
    document["accounts"]["failed_codes_max"] = [dated(3, status="unconfirmed")]
    document["win"]["formula"] = [dated({"plus": ["closer", "drop"], "minus": ["drop"]})]
    document["people"]["fill"] = [dated(["requested_by", "requested_by"])]
    document["shares"]["table_games"]["parties"] = [dated({"state": "0.155", "operator": "0.835"})]
    document["vigorish"]["ri-pai-gow"] = [dated("0.05")]
    document["equipment"] = {}
    document["taxes"] = {
        "tax": {
            "payee": "Atlantis",
            "rate": [dated("0.1")],
            "classes": [dated(["contest"])],
            "period": [dated("week")],
            "rounding": [dated("each_day")],
        }
    }
    with pytest.raises(PackWrong) as wrong:
        load_pack(write(document))
    assert str(wrong.value).startswith("atlantis/pack.yaml:\n- ")
    assert [
        "accounts.failed_codes_max.0: an unconfirmed value needs a note that says what is not confirmed",
        "accounts.lock_minutes: 2021-01-01 stands after 2021-01-01: list the earliest first",
        "accounts.loosening_hours.0.value: Input should be greater than or equal to 24",
        "equipment: nothing is said of atlantis-dice",
        "limits.adjustment_listed_cents.0.source: String should match pattern '^\\S(.*\\S)?$'",
        "limits.hold_variance: a provision has one value at least",
        "limits.serial_exceptions: Extra inputs are not permitted",
        "limits.variance_report_cents.0.value: Input should be a valid integer",
        "people.fill.0.value: requested_by, requested_by: list each a single time",
        "shares.table_games.parties.0.value: the shares sum to 99%, not to 100%",
        "taxes: contest: not among the classes of the pack",
        "vigorish: ri-pai-gow: not among the regulations of the pack",
        "win.formula.0.value.minus: closer, drop, drop: list each a single time",
    ] == sorted(wrong.value.problems)


def test_a_form_that_is_not_there_is_named(document: Document, write: Write) -> None:
    """What is reported on a form names one of the pack's own."""
    document["currency_reports"] = {
        "ctr": {"form": "ctr_103", "threshold_cents": [dated(1)], "reached": "at", "together": [dated("each_alone")]}
    }
    with pytest.raises(PackWrong, match="currency_reports: ctr_103: not among the forms of the pack"):
        load_pack(write(document))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("id: [", "this is no YAML"),
        ("- 1", "the document: "),
        ("id: atlantis", "the document: Unable to extract tag using discriminator 'kind'"),
    ],
)
def test_what_is_no_pack_is_refused(tmp_path: Path, text: str, problem: str) -> None:
    """With the name of the file."""
    (tmp_path / "pack.yaml").write_text(text)
    with pytest.raises(PackWrong, match=f"{tmp_path.name}/pack.yaml:\n- {problem}"):
        load_pack(tmp_path)


def test_a_folder_has_the_name_of_its_pack(document: Document, write: Write) -> None:
    """One name, one thing."""
    with pytest.raises(PackWrong, match="id: 'atlantis' must be the name of its folder, 'lemuria'"):
        load_pack(write(document, "lemuria"))


def test_a_regulation_has_one_pack(document: Document, write: Write) -> None:
    """Two packs that cover it are refused together."""
    document |= {"regulations": ["ri-pai-gow"], "vigorish": {}}
    document["equipment"] = {"ri-pai-gow": document["equipment"]["atlantis-dice"]}
    with pytest.raises(PackWrong, match="ri-pai-gow is covered by us-ri and atlantis"):
        Packs.below(ROOT, write(document).parent)


def test_a_pack_cannot_be_changed(document: Document, write: Write) -> None:
    """It is data that many ask."""
    found = load_pack(write(document))
    assert isinstance(found, GamingPack)
    with pytest.raises(ValueError, match="frozen"):
        found.limits.variance_report_cents.root[0].value = 1  # type: ignore[misc]


def test_a_page_marks_what_is_unconfirmed() -> None:
    """In its row, with the reason."""
    text = page(Packs.below(ROOT).pack("us-federal"))
    [line] = [line for line in text.splitlines() if "$2,000" in line]
    assert "**unconfirmed**: reports on the draft of December 2025 were read, the final text was not" in line
