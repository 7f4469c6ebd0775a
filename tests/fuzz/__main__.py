"""Try inputs at everything that takes bytes from outside.

    python -m tests.fuzz --inputs 1000000 --seed 1

prints for each target how many inputs it took, how many of them it read, and how fast; the exit code is 1 where one was
neither read nor refused as the target declares. `--only` names some of the targets.
"""

import argparse
import sys
from collections.abc import Sequence

from tests.fuzz.run import run
from tests.fuzz.targets import targets


def main(words: Sequence[str] | None = None) -> int:
    """Run the targets one after the other, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__.split("\n\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000, help="of all targets together (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="all inputs follow from it (default: %(default)s)")
    parser.add_argument("--only", default="", help="names of targets, with commas between them")
    options = parser.parse_args(words)
    wanted = [one for one in targets() if not options.only or one.name in options.only.split(",")]
    found = 0
    _say("| target | inputs | read | inputs/s |\n|---|---|---|---|")
    for target in wanted:
        result = run(target, max(1, options.inputs // len(wanted)), options.seed)
        rate = result.inputs / max(result.seconds, 1e-6)
        _say(f"| {result.target} | {result.inputs:,} | {result.read:,} | {rate:,.0f} |")
        for finding in result.findings[:10]:
            _say(f"  input {finding.number}: {finding.reason[:300]}\n    {finding.data[:300]!r}")
        found += len(result.findings)
    _say(f"\n{found} findings, seed {options.seed}")
    return 1 if found else 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
