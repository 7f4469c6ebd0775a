"""What is wrong with a property as it is filed: everything at once, each problem with what says so."""

from typing import Any

import pytest
from pydantic import ValidationError

from services.paytable_registry.domain import property_checks
from services.paytable_registry.domain.property_checks import problems
from shared.contracts.properties import PropertyDocument
from shared.jurisdictions import gaming_pack, pack
from tests.support.filings import FILER
from tests.support.packs import changed, dated
from tests.support.properties import document

TABLE = document(tables=["BJ-01"])["tables"][0]
DAY = "2026-11-20T09:00:00Z"


def wrong(**changes: Any) -> list[str]:
    """What is wrong with a property of one table, with changes."""
    return problems(PropertyDocument.model_validate(document(tables=["BJ-01"], effective_from=DAY) | changes))


def tables(*changed: dict[str, Any]) -> list[str]:
    """What is wrong with a property of these tables."""
    return wrong(tables=[TABLE | each for each in changed])


def test_a_property_as_it_should_be_has_no_problem() -> None:
    """In Pennsylvania, and in Rhode Island; without tables too."""
    assert [] == wrong() == wrong(packs=["us-ri", "us-federal"]) == wrong(tables=[])


@pytest.mark.parametrize(
    ("packs", "said"),
    [
        (["us-pa", "us-xx"], ["'packs': 'us-xx' is not known; known are us-federal, us-pa, us-ri"]),
        (["us-pa", "us-pa"], ["'packs': pack 'us-pa' is listed 2 times; list it once", "2 of them license"]),
        (["us-federal"], ["'packs': 0 of them license table games; name the one"]),
        (["us-pa", "us-ri"], ["'packs': 2 of them license table games"]),
    ],
)
def test_one_pack_licenses_table_games(packs: list[str], said: list[str]) -> None:
    """Every pack is here, and there is one jurisdiction."""
    found = wrong(packs=packs)
    assert len(said) == len(found)
    assert all(one in other for one, other in zip(said, found, strict=True))


def test_late_events_are_flagged_where_the_law_lets_them_be(monkeypatch: pytest.MonkeyPatch) -> None:
    """A property may always refuse them; a law that does leaves no choice."""
    assert [] == wrong(late_events="flag") == wrong(late_events="refuse")
    strict = changed(gaming_pack("us-pa"), {"limits.late_events": [dated("refuse")]})
    monkeypatch.setattr(property_checks, "pack", lambda name: strict if name == "us-pa" else pack(name))
    [found] = wrong(late_events="flag")
    assert found.startswith("'late_events': Pennsylvania refuses them (")
    assert [] == wrong(late_events="refuse")


def test_a_table_is_counted_or_reports_its_rounds() -> None:
    """The win of every banking table is known in one way; sales are left out only where counts find them."""
    assert [] == tables({"play": "counted", "sales": "none", "positions": 20})
    for other, reason in (
        ({"play": "counted", "non_banking": True}, "is not 'counted'"),
        ({"play": "counted", "fully_automated": True}, "is not 'counted'"),
        ({"sales": "over"}, "only at a table whose 'play' is 'counted'"),
        ({"positions": 21}, "less than or equal to 20"),
    ):
        with pytest.raises(ValidationError, match=reason):
            tables(other)


def test_one_hold_is_expected_of_a_game_on_a_day() -> None:
    """Of a game that counted tables offer: its periods do not overlap, and none ends before it begins."""

    def of_games(*holds: tuple[str, str | None], game: str = "craps") -> list[str]:
        said = [{"hold": "13.5", "source": "own years", "first_day": first, "last_day": last} for first, last in holds]
        counted = TABLE | {"game": "craps", "play": "counted"}
        return wrong(tables=[counted], games=[{"game": game, "kind": "craps", "expected_holds": said}])

    assert [] == of_games(("2026-01-01", "2026-06-30"), ("2026-07-01", None))
    assert ["game blackjack: no table that is counted offers it; of other games the rules say what is expected"] == (
        of_games(game="blackjack")
    )
    assert ["game craps: its expected hold from 2026-01-02 ends before, on 2026-01-01"] == (
        of_games(("2026-01-02", "2026-01-01"))
    )
    both = "game craps: two holds are expected from 2026-07-01 on: end the first one before"
    assert [both] == of_games(("2026-07-01", None), ("2026-01-01", None))


def test_ratings_of_a_game_go_by_one_set_of_terms_on_a_day() -> None:
    """Of a game that tables offer: its periods do not overlap, and none ends before it begins."""

    def of_terms(*days: tuple[str, str | None], game: str = "blackjack") -> list[str]:
        terms = {"decisions_an_hour": 60, "house_edge": "0.75", "source": "own study"}
        said = [terms | {"first_day": first, "last_day": last} for first, last in days]
        return wrong(tables=[TABLE], rated_games=[{"game": game, "terms": said}])

    assert [] == of_terms(("2026-01-01", "2026-06-30"), ("2026-07-01", None))
    assert ["rated game craps: no table offers it; there are blackjack"] == of_terms(("2026-01-01", None), game="craps")
    assert ["rated game blackjack: its terms from 2026-01-02 end before, on 2026-01-01"] == (
        of_terms(("2026-01-02", "2026-01-01"))
    )
    both = "rated game blackjack: it has two terms from 2026-07-01 on: end the first ones before"
    assert [both] == of_terms(("2026-07-01", None), ("2026-01-01", None))


@pytest.mark.parametrize("zone", ["America/Newyork", "/etc/localtime", "new_york"])
def test_the_time_zone_is_one_of_the_database(zone: str) -> None:
    """Nothing that is not a name of IANA's gets near the file system."""
    [found] = wrong(time_zone=zone)
    assert found.startswith(f"'time_zone': {zone!r} is not in the IANA database")


def test_times_are_those_of_the_propertys_clock() -> None:
    """An offset would say otherwise."""
    shifts = [{"shift": "day", "begins": "06:00+02:00"}]
    with pytest.raises(ValidationError, match="is not a time of the day") as refused:
        wrong(gaming_day_begins="04:00-05:00", shifts=shifts)
    assert {("gaming_day_begins",), ("shifts", 0, "begins")} <= {error["loc"] for error in refused.value.errors()}


def test_shifts_have_a_name_and_a_beginning_of_their_own() -> None:
    """No two are alike."""
    assert [
        "'shifts': shift 'day' is listed 2 times; list it once",
        "'shifts': beginning '06:00' is listed 2 times; list it once",
    ] == wrong(shifts=[{"shift": "day", "begins": "06:00"}] * 2)


def test_a_table_stands_in_a_pit_of_the_property() -> None:
    """Every table has its name, its asset number, and a pit that is listed."""
    assert ["table BJ-01: pit 'pit-9' is not among the pits"] == tables({"pit": "pit-9"})
    assert ["'tables': table 'BJ-01' is listed 2 times; list it once"] == tables({}, {"asset_number": "A-2"})


def test_an_asset_number_is_of_one_thing() -> None:
    """Tables and devices share the numbers."""
    device = {"asset_number": "A-BJ-01"}
    assert ["'tables': asset number 'A-BJ-01' is listed 2 times; list it once"] == tables({"devices": [device]})


def test_a_table_retires_after_it_was_opened() -> None:
    """One that was never there is not listed."""
    assert ["table BJ-01: retired on 2020-01-01, not after it was opened on 2020-01-01"] == tables(
        {"retired_on": "2020-01-01"}
    )
    assert [] == tables({"retired_on": "2020-01-02"})


def test_a_progressive_link_is_listed_once() -> None:
    """It is said of which table."""
    assert ["table BJ-01: progressive link 'link' is listed 2 times; list it once"] == tables(
        {"progressive_links": ["link", "link"]}
    )


def test_limits_are_within_those_of_the_pack() -> None:
    """The refusal says the pack's figure and its source; as much as it, and less, is allowed."""
    dated = gaming_pack("us-pa").limits.variance_report_cents.root[-1]
    [found] = wrong(limits={"variance_report_cents": dated.value + 1})
    assert f"variance_report_cents {dated.value + 1} is above {dated.value}, which Pennsylvania allows" in found
    assert f"({dated.source}, {dated.status})" in found
    assert [] == wrong(limits={"variance_report_cents": dated.value})


def test_a_variance_is_reported_before_a_copy_goes_to_the_authority() -> None:
    """The second limit is not below the first."""
    [found] = wrong(limits={"variance_report_cents": 200, "variance_authority_cents": 100})
    assert "variance_authority_cents 100 is below variance_report_cents 200" in found


def test_roles_that_the_pack_keeps_apart_are_not_one_persons() -> None:
    """The refusal names the person, the roles, and the source."""
    name, provision = next(iter(gaming_pack("us-pa").roles_apart.items()))
    dated = provision.root[-1]
    [found] = wrong(people=[{"person": "eve", "roles": list(dated.value)}])
    assert f"person eve has {' and '.join(dated.value)}, which {name} keeps apart ({dated.source}, " in found
    each = [{"person": f"p{number}", "roles": [role]} for number, role in enumerate(dated.value)]
    assert [] == wrong(people=each)


def test_everything_is_said_at_once() -> None:
    """A person listed twice with a role twice, an unknown zone, an unknown pit."""
    people = [{"person": "eve", "roles": ["days.audit", "days.audit"]}, {"person": "eve", "roles": ["days.audit"]}]
    found = wrong(time_zone="Mars/Phobos", people=people, tables=[TABLE | {"pit": "pit-9"}])
    assert ["'time_zone'", "table BJ-01", "'people'", "person eve"] == [one.partition(":")[0] for one in found]


def test_chip_sets_have_names_of_their_own_and_a_denomination_once() -> None:
    """And one that is retired was in use before."""
    value = {"chip_set": "value", "denominations_cents": [100, 500], "in_use_from": "2026-01-01"}
    assert [] == wrong(chip_sets=[value, value | {"chip_set": "coins", "kind": "coin"}])
    assert [
        "'chip_sets': chip set 'value' is listed 2 times; list it once",
        "chip set value: denomination '100' is listed 2 times; list it once",
        "chip set value: retired on 2026-01-01, not after 2026-01-01, its first day",
    ] == wrong(chip_sets=[value | {"denominations_cents": [100, 100]}, value | {"retired_on": "2026-01-01"}])


def test_locations_of_the_cage_have_names_of_their_own_however_they_are_spelled() -> None:
    """Two that differ in capitals are taken for each other, and those that transfers use mean something else."""
    drawer = {"location": "drawer-1", "kind": "drawer", "opened_on": "2026-01-01"}
    assert [] == wrong(cage_locations=[drawer, drawer | {"location": "drawer-2"}])
    [twice] = wrong(cage_locations=[drawer, drawer | {"location": "Drawer-1"}])
    assert "'cage_locations': location 'drawer-1' is listed 2 times; list it once" == twice
    for name in ("Cage", "Bank"):
        [taken] = wrong(cage_locations=[drawer | {"location": name}])
        assert f"cage location {name}: the name means something else in transfers" in taken


@pytest.mark.parametrize("made_up", ["123456789", "000000000", "777777777"])
def test_a_filer_has_a_number_that_was_assigned(made_up: str) -> None:
    """By the rule that a patron's taxpayer number goes by."""
    filer = FILER.model_dump(mode="json")
    assert [] == wrong(filer=filer)
    refused = f"'filer': {made_up} is no employer identification number: give the one that the IRS assigned"
    assert [refused] == wrong(filer=filer | {"ein": made_up})
