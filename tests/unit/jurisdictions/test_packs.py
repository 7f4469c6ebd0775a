"""The packs of the package: what holds on which day, and that everything has a source."""

from collections.abc import Iterator, Mapping
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from services.cli.services import load_all, roles_of_services
from shared.jurisdictions import (
    AfterAFall,
    Dated,
    GamingPack,
    Provision,
    gaming_pack,
    known_packs,
    pack,
    pack_of_regulation,
)
from shared.jurisdictions.document import page
from shared.jurisdictions.packs import FILE, PackWrong, load_pack
from shared.rules import REGULATIONS
from shared.rules.pai_gow.vigorish import vigorish

DOCS = Path(__file__).parents[3] / "docs" / "jurisdictions"
BEFORE, LATER = date(2025, 12, 31), date(2026, 1, 1)


def provisions(part: Any) -> Iterator[Provision[Any]]:
    """All provisions in a part of a pack."""
    if isinstance(part, Provision):
        yield part
    elif isinstance(part, BaseModel | Mapping):
        for value in dict(part).values():
            yield from provisions(value)


@pytest.mark.parametrize("name", known_packs())
def test_everything_has_a_source_and_every_doubt_a_reason(name: str) -> None:
    """Each value says where it is written; what is unconfirmed says what is not confirmed."""
    found = [dated for provision in provisions(pack(name)) for dated in provision.root]
    assert found
    assert [] == [dated for dated in found if not dated.source.strip()]
    assert [] == [dated for dated in found if dated.status == "unconfirmed" and not dated.note]


@pytest.mark.parametrize("name", known_packs())
def test_the_committed_page_is_as_the_pack_is(name: str) -> None:
    """docs/jurisdictions; `make generated` writes it."""
    assert page(pack(name)) == (DOCS / f"{name}.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("name", known_packs())
def test_everything_holds_today(name: str) -> None:
    """No value begins in the future only."""
    for provision in provisions(pack(name)):
        assert isinstance(provision.on(date(2026, 11, 20)), Dated)


@pytest.mark.parametrize("regulation", REGULATIONS)
def test_every_regulation_belongs_to_a_pack(regulation: str) -> None:
    """To exactly one: two that cover the same are refused. Its cards are changed after hours that are known."""
    assert regulation in pack_of_regulation(regulation).equipment


def test_packs_cover_what_can_be_settled() -> None:
    """No pack names a regulation that there is not."""
    covered = [
        name for one in known_packs() if isinstance(pack(one), GamingPack) for name in gaming_pack(one).regulations
    ]
    assert sorted(REGULATIONS) == sorted(covered)


def test_a_value_holds_from_its_day_on() -> None:
    """The additional tax of Pennsylvania, from August 1, 2016; nothing is guessed before."""
    rate = gaming_pack("us-pa").taxes["additional_tax"].rate
    assert "0.02" == rate.on(date(2016, 8, 1)).value
    with pytest.raises(
        LookupError, match=r"nothing is known for 2016-07-31.*2016-08-01.*72 P.S. § 9502.*add an earlier"
    ):
        rate.on(date(2016, 7, 31))


def test_a_layer_of_tax_can_end() -> None:
    """14% in a facility's first two years, until Act 42 of 2017 deleted that."""
    taxes = gaming_pack("us-pa").taxes
    assert 2 == taxes["new_facility_tax"].first_years

    def rate(day: date) -> Fraction:
        return sum(
            (Fraction(str(taxes[name].rate.on(day).value)) for name in ("state_tax", "new_facility_tax")), Fraction()
        )

    assert [Fraction(14, 100), Fraction(14, 100), Fraction(12, 100)] == [
        rate(day) for day in (date(2010, 1, 7), date(2017, 10, 29), date(2017, 10, 30))
    ]


@pytest.mark.parametrize(
    ("day", "percent"), [(date(2016, 7, 31), 14), (date(2016, 8, 1), 16), (date(2026, 11, 20), 16)]
)
def test_a_banking_table_bears_what_was_collected(day: date, percent: int) -> None:
    """What Pennsylvania collected of ordinary tables: 14% until July 2016, 16% since."""
    rates = [
        Fraction(str(layer.rate.on(day).value))
        for layer in gaming_pack("us-pa").taxes.values()
        if layer.first_years is None
        and layer.rate.root[0].effective_from <= day
        and "banking" in layer.classes.on(day).value
    ]
    assert Fraction(percent, 100) == sum(rates)


def test_winnings_are_reported_from_another_amount_since_2026() -> None:
    """$600 until the end of 2025, $2,000 from 2026 on, which is not confirmed; 300 times the wager."""
    winnings = pack("us-federal").reportable_winnings["w_2g_table_wager"]
    before, later = winnings.threshold_cents.on(BEFORE), winnings.threshold_cents.on(LATER)
    assert (600_00, "confirmed", 2_000_00, "unconfirmed") == (before.value, before.status, later.value, later.status)
    assert winnings.wager_ratio is not None
    assert [300, 300] == [winnings.wager_ratio.on(day).value for day in (BEFORE, LATER)]


def test_shares_sum_to_the_whole() -> None:
    """Rhode Island's, at every time."""
    found = [one.value for one in gaming_pack("us-ri").shares["table_games"].parties.root]
    parties = [of for one in found for of in ((one.fell, one.otherwise) if isinstance(one, AfterAFall) else (one,))]
    assert [{"state", "operator", "town"}] * 3 == [set(one) for one in parties]
    assert [1] * 3 == [sum(map(Fraction, one.values())) for one in parties]
    assert "0.155" == parties[-1]["state"]


@pytest.mark.parametrize("regulation", ["pa-645a-2011", "ri-pai-gow"])
def test_rounds_are_settled_at_the_rate_of_the_pack(regulation: str) -> None:
    """The settlement takes 5% of what was won, and so does the pack say."""
    rate = pack_of_regulation(regulation).vigorish[regulation].on(LATER).value
    assert vigorish(100_00, "none") == 100_00 * Fraction(rate)


@pytest.mark.parametrize("name", ["us-pa", "us-ri"])
def test_roles_that_are_apart_are_roles_of_services(name: str) -> None:
    """As the services declare them."""
    named = {role for apart in gaming_pack(name).roles_apart.values() for dated in apart.root for role in dated.value}
    assert set() == named - set(roles_of_services(load_all()))


def test_a_pack_that_is_not_there_is_named() -> None:
    """With what there is, and what to do."""
    with pytest.raises(LookupError, match="no pack 'us-nv'; there are us-federal, us-pa, us-ri"):
        pack("us-nv")
    with pytest.raises(LookupError, match="us-federal licenses no table games"):
        gaming_pack("us-federal")
    with pytest.raises(LookupError, match="no pack covers nv-1: add it to 'regulations'"):
        pack_of_regulation("nv-1")


@pytest.mark.parametrize("content", [b"title: \xff", b"since: 2026-02-30", b"[" * 3_000, b"- !!int x"])
def test_a_pack_that_is_no_yaml_is_refused_as_one(tmp_path: Path, content: bytes) -> None:
    """What YAML's own constructors raise is said like any other mistake of a pack."""
    (tmp_path / FILE).write_bytes(content)
    with pytest.raises(PackWrong, match="this is no YAML"):
        load_pack(tmp_path)
