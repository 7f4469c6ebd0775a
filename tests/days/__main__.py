"""Play tables at random and print what was played; of a difference, the shortest script.

Example: python -m tests.days --days 20000 --seed 1
Example: python -m tests.days --through services --days 200
Example: python -m tests.days --mutations
"""

import argparse
import sys

from tests.days.mutations import MUTATIONS, found_by
from tests.days.run import play, play_through_services

_FAILED = 1


def _say(what: object) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


def _mutations() -> int:
    missed = 0
    for mutation in MUTATIONS:
        seed = next((seed for seed in range(1, 40) if found_by(mutation, seed)), None)
        missed += seed is None
        _say(f"{mutation.__name__}: {'not found' if seed is None else f'found by seed {seed}'}")
    return _FAILED if missed else 0


def main() -> int:
    """Do what the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--days", type=int, default=20_000, help="how many gaming days to play")
    parser.add_argument("--seed", type=int, default=1, help="the first of the seeds")
    parser.add_argument("--mutations", action="store_true", help="look for the seed that finds each seeded bug")
    parser.add_argument("--through", choices=["model", "services"], default="model", help="what is told of the tables")
    given = parser.parse_args()
    if given.mutations:
        return _mutations()
    try:
        playing = play_through_services if given.through == "services" else play
        played = playing(given.days, given.seed, say=_say)
    except AssertionError as difference:
        _say("\n".join([str(difference), *getattr(difference, "__notes__", ())]))
        _say("differences 1")
        return _FAILED
    for kind, times in sorted(played.items()):
        _say(f"  {times:8} {kind}")
    _say("differences 0")
    return 0


if __name__ == "__main__":
    sys.exit(main())
