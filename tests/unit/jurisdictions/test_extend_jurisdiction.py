"""A jurisdiction is a folder beside the installation: what docs/extend.md says, done in a temporary folder."""

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from services.cli.documents import read_document
from services.paytable_registry.domain.property_checks import problems
from shared.contracts.properties import PropertyApproved, PropertyDocument, property_hash
from shared.contracts.property_snapshot import PropertySnapshot
from shared.jurisdictions import PackWrong, gaming_pack, keep_own_packs_in, known_packs, pack_of_regulation
from shared.jurisdictions.document import page
from shared.runtime.errors import FatalServiceError
from shared.runtime.service.site_packs import load_site_packs
from shared.runtime.settings import Settings

ROOT = Path(__file__).parents[3]
EXAMPLE = ROOT / "docs" / "examples" / "new_jurisdiction"
SECTION = (ROOT / "docs" / "extend.md").read_text().split("\n## Add a jurisdiction\n")[1].split("\n## ")[0]
BLOCKS = [
    (language, dedent(text)) for language, text in re.findall(r"^   ```(\w+)\n(.*?)^   ```", SECTION, re.M | re.S)
]


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """What the page's commands leave behind; nothing is known of it afterwards."""
    (tmp_path / "docs").symlink_to(ROOT / "docs")
    [commands] = [text for language, text in BLOCKS if "mkdir" in text]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    subprocess.run(["sh", "-ec", commands], cwd=tmp_path, env=os.environ | {"PATH": path}, check=True, timeout=60)
    yield tmp_path / "jurisdictions"
    keep_own_packs_in(None)


@pytest.fixture
def pearl(folder: Path) -> PropertyDocument:
    """The casino of the example, where its pack is known."""
    load_site_packs(Settings(jurisdictions=folder))
    return PropertyDocument.model_validate(read_document(str(EXAMPLE / "property.yaml")))


def approved(wanted: PropertyDocument) -> PropertyApproved:
    """It, approved as it was filed."""
    said: dict[str, Any] = {"filed_by": "a", "approved_by": "b"} | dict.fromkeys(
        ("filed_at", "approved_at"), wanted.effective_from
    )
    return PropertyApproved(**dict(wanted), version=1, hash=property_hash(wanted, 1), **said)


def test_the_page_shows_the_pack() -> None:
    """The values on the page stand in the example."""
    shown = [text for language, text in BLOCKS if language == "yaml"]
    pack = dedent((EXAMPLE / "xx-atlantis" / "pack.yaml").read_text())
    assert len(shown) == 2
    assert [] == [text for text in shown if "".join(f"  {line}\n" for line in text.splitlines()) not in pack]


def test_it_is_found_by_its_folder_alone(folder: Path) -> None:
    """It is not part of the release; it is known where the setting names its folder, by id and by regulation."""
    assert "xx-atlantis" not in known_packs()
    load_site_packs(Settings(jurisdictions=folder))
    assert "xx-atlantis" in known_packs()
    assert "us-pa" in known_packs()
    assert pack_of_regulation("xx-high-card") is gaming_pack("xx-atlantis")


def test_its_page_is_written(folder: Path) -> None:
    """With its values, and what is doubtful marked."""
    text = (folder / "xx-atlantis" / "README.md").read_text()
    load_site_packs(Settings(jurisdictions=folder))
    assert page(gaming_pack("xx-atlantis")) == text
    assert "| `variance_report_cents` | 2027-01-01 | $40 | Harbor Rule 11, as amended | confirmed |" in text
    assert "**unconfirmed**: a federal rule for tribal casinos" in text


def test_a_property_under_it_can_be_filed(pearl: PropertyDocument) -> None:
    """The registry has nothing against it; where the pack is not known it says so, and the pack's limits hold."""
    assert [] == problems(pearl)
    above = pearl.model_copy(update={"limits": pearl.limits.model_copy(update={"variance_report_cents": 5001})})
    assert [
        "'limits': variance_report_cents 5001 is above 5000, which Atlantis allows (Harbor Rule 11, confirmed)"
    ] == (problems(above))
    keep_own_packs_in(None)
    assert problems(pearl)[0].startswith("'packs': 'xx-atlantis' is not known; known are us-federal, us-pa, us-ri")


def test_the_property_is_asked_for_its_own_law(pearl: PropertyDocument) -> None:
    """Its gaming day begins at 09:30 on its own clock; rates and limits are the pack's, or stricter ones of its own."""
    place = PropertySnapshot.of(approved(pearl))
    winter = [datetime(2026, 2, 2, 10, minute, tzinfo=UTC) for minute in (29, 30)]
    assert [date(2026, 2, 1), date(2026, 2, 2)] == [place.gaming_day(moment) for moment in winter]
    assert datetime(2026, 7, 1, 9, 30, tzinfo=UTC) == place.begins_at(date(2026, 7, 1))
    days = (date(2026, 6, 1), date(2027, 6, 1))
    assert [4500, 4000] == [place.limit_cents("variance_report_cents", day) for day in days]
    assert [20000, 20000] == [place.limit_cents("variance_authority_cents", day) for day in days]
    assert "0.125" == place.law.taxes["harbor_dues"].rate.on(days[0]).value
    assert ("requested_by", "prepared_by", "received_by") == place.law.people.fill.on(days[0]).value
    assert "memo" == place.law.instruments.prepaid_access.on(days[0]).value


@pytest.mark.parametrize(
    ("pack", "said"),
    [
        ("us-ri", "us-ri/pack.yaml:\n- there is a pack of this id already: give it another"),
        ("us-nowhere", "us-nowhere/pack.yaml:\n- id: 'us-ri' must be the name of its folder, 'us-nowhere'"),
    ],
)
def test_a_service_does_not_start_under_wrong_packs(tmp_path: Path, pack: str, said: str) -> None:
    """It says what is wrong, and the packs stay as they were."""
    (tmp_path / pack).mkdir()
    (tmp_path / pack / "pack.yaml").write_text((ROOT / "shared/jurisdictions/us-ri/pack.yaml").read_text())
    before = known_packs()
    with pytest.raises(FatalServiceError) as stopped:
        load_site_packs(Settings(jurisdictions=tmp_path))
    assert f"PITLEDGER_JURISDICTIONS: {said}" == str(stopped.value)
    with pytest.raises(FatalServiceError, match=r"PITLEDGER_JURISDICTIONS: .*no-such-folder"):
        load_site_packs(Settings(jurisdictions=tmp_path / "no-such-folder"))
    with pytest.raises(PackWrong):
        keep_own_packs_in(tmp_path)
    assert before == known_packs()
