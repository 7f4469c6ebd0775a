"""Everything that takes long: `python -m tests.nightly`, or `--short`, or `--only soak twin`.

Each part runs by itself, within its bound, and the next one runs whatever it came to. The page is written after each.
Exits with 1 unless every part passed.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from tests.nightly.page import page
from tests.nightly.parts import Part, Result, parts, run


def night(planned: Sequence[Part], directory: Path) -> int:
    """Run parts, with their logs, results and page in a directory; return how many did not pass."""
    directory.mkdir(parents=True, exist_ok=True)
    results: list[Result] = []
    for part in planned:
        results.append(run(part, directory))
        last = results[-1]
        sys.stdout.write(f"{last.name}: {last.outcome}, {last.seconds / 60:.1f} minutes\n")
        sys.stdout.flush()
        (directory / "results.json").write_text(json.dumps([asdict(one) for one in results], indent=1))
        (directory / "report.html").write_text(page(planned, results))
    sys.stdout.write(f"{directory / 'report.html'}\n")
    return sum(one.outcome != "passed" for one in results)


def main(words: Sequence[str] | None = None) -> int:
    """Run what is asked for; return 1 unless all of it passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.nightly", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--short", action="store_true", help="a shortened form of each part, which shows that it runs")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="these parts alone")
    parser.add_argument("--to", type=Path, default=Path("var/nightly"), help="where logs, results and page go")
    options = parser.parse_args(words)
    try:
        planned = parts(short=options.short, only=options.only)
    except ValueError as error:
        parser.error(str(error))
    return int(night(planned, options.to) > 0)


if __name__ == "__main__":
    sys.exit(main())
