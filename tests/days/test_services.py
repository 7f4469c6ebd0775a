"""Days that are played at random before the services themselves: statements, reports, tax and seals are as seen."""

from tests.days.run import TABLES_OF_SERVICES, before, play
from tests.support.databases import Databases

DAYS = 10
SEED = 1


def test_what_the_services_state_report_and_seal_is_what_was_seen(databases: Databases) -> None:
    """Two services on PostgreSQL: what a day lacks keeps it from being closed, and every figure is as seen."""
    played = play(DAYS, SEED, tables=TABLES_OF_SERVICES, pit=before(databases))
    assert played["days"] >= DAYS
    assert played["sealed days"] > 0, "some days lack nothing"
