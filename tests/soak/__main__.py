"""A compressed month: `python -m tests.soak --days 30 --rounds 50 --services round-settlement reporting`.

Exits with 1 where something grows with time that must not; prints what a million rounds add.
"""

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from tests.soak.month import as_json, growth, month, names, unbounded

TOPICS = ("table.events", "settlements", "inventory", "inventory.rounds", "vigorish")


def main(words: Sequence[str] | None = None) -> int:
    """Play, look, and say what was found."""
    parser = argparse.ArgumentParser(prog="python -m tests.soak", description=__doc__.split("\n\n")[0])
    parser.add_argument("--days", type=int, default=30, help="on the clock (default: %(default)s)")
    parser.add_argument("--rounds", type=int, default=50, help="of each of eight tables a day (default: %(default)s)")
    parser.add_argument("--services", nargs="+", default=names(), help="round settlement first (default: %(default)s)")
    parser.add_argument("--json", type=Path, help="where each day's end is kept")
    options = parser.parse_args(words)
    with month(options.services) as played:
        for number in range(options.days):
            evening = played.play(options.rounds)
            memory = {name: round(one.memory_kib / 1024) for name, one in evening.processes.items()}
            said = f"day {number + 1}: {evening.rounds:,} rounds, MiB {memory}, {evening.connections} connections"
            sys.stdout.write(f"{said}, {evening.checkpoint_files} files of checkpoints\n")
            sys.stdout.flush()
        topics = {topic: size for topic in TOPICS if (size := played.topic_bytes(topic))}
    if options.json is not None:
        options.json.write_text(as_json(played.evenings))
    found = unbounded(played.evenings)
    sys.stdout.writelines(f"{line}\n" for line in growth(played.evenings, topics))
    sys.stdout.writelines(f"grows: {line}\n" for line in found)
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
