"""Days that are played at random before the services themselves: statements, reports, tax and seals are as seen."""

import pytest

from tests.days.closing import unlike_closed
from tests.days.comparing import Seen, differences
from tests.days.golden import DAYS as GOLDEN
from tests.days.golden import parts
from tests.days.run import PITS_OF_SERVICES, before, play
from tests.days.telling import is_event
from tests.days.through import Through
from tests.support.databases import Databases
from tests.support.nightly import AT_NIGHT, sampled
from tests.support.services import settled_database

SEED = 1
DAYS = 10


@AT_NIGHT
def test_what_the_services_state_report_and_seal_is_what_was_seen(databases: Databases) -> None:
    """Two services on PostgreSQL: what a day lacks keeps it from being closed, and every figure is as seen."""
    played = play(DAYS, SEED, pits=PITS_OF_SERVICES, pit=before(databases))
    assert played["days"] >= DAYS
    assert played["sealed days"] > 0, "some days lack nothing"


@sampled(3)
@pytest.mark.parametrize("name", [name for name, golden in GOLDEN.items() if golden.get("services")])
def test_a_golden_day_before_the_services(databases: Databases, name: str) -> None:
    """After each part statements are as seen, and whoever closes a day is told what it lacks."""
    url = settled_database(databases, "table-inventory", "reporting", "progressive-meters")
    through: Through | None = None
    try:
        for part in parts(name, lambda place, first: Through(place, url, first)):
            through = part.ledger
            for act in sorted(part.acts, key=lambda one: one.number):
                if is_event(act):
                    through.expect(act)
            for act in part.acts:
                if act.behind:
                    through.expect(act)
                assert through.take(act)
            through.state(part.now)
            seen = Seen.of(through.place, part.so_far, part.now)
            assert [] == list(differences(through, seen, part.now))
            running = through.place.gaming_day(part.now)
            for day in [one for one in seen.days() if one < running]:
                left = through.left(day, part.now, seen.excused(day))
                assert left is None or [] == list(unlike_closed(seen, day, left, is_told_in_part=False))
    finally:
        if through is not None:
            through.close()
