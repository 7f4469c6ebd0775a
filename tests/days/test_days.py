"""Days that are played at random: what is stated of them is what the reference has seen."""

from tests.days.run import PITS, play
from tests.support.nightly import examples

DAYS = examples(200)
SEED = 1


def test_what_is_stated_is_what_was_seen() -> None:
    """Days, 200 at night: figures, what is missing, of which counts and boxes, and the win of whole tables."""
    played = play(DAYS, SEED, pits=examples(PITS))
    assert played["days"] >= DAYS
    assert played["days of which the win is what patrons lost"] > 0, "some tables make no mistake"
