"""A night of everything that takes long: `python -m tests.nightly`, or `--weekend`, `--short`, `--only soak twin`.

Each part runs by itself, within its bound, and the next one runs whatever it came to. The page is written after each.
A night that was cut goes on: what has passed of the commit that is checked out is not run again, unless `--anew` or
where files were changed since. Exits with 1 unless every part passed.
"""

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from tests.nightly.page import page
from tests.nightly.parts import Part, Result, parts, run
from tests.support.nightly import version


def night(planned: Sequence[Part], directory: Path, *, of: str | None = None, anew: bool = False) -> int:
    """Run parts, with their logs, results and page in a directory; return how many did not pass.

    `of` is the version that they are run of: what has passed of it before stays as it is, unless `anew`.
    """
    directory.mkdir(parents=True, exist_ok=True)
    known = {} if of is None or anew else _passed(directory, of)
    results: list[Result] = []
    for part in planned:
        before = ", before" if part.said in known else ""
        last = known[part.said] = known.get(part.said) or run(part, directory)
        results.append(last)
        sys.stdout.write(f"{last.name}: {last.outcome}{before}, {last.seconds / 60:.1f} minutes\n")
        sys.stdout.flush()
        document = {"of": of, "results": [asdict(one) for one in known.values()]}
        (directory / "results.json").write_text(json.dumps(document, indent=1))
        (directory / "report.html").write_text(page(planned, results))
    sys.stdout.write(f"{directory / 'report.html'}\n")
    return sum(one.outcome != "passed" for one in results)


def _passed(directory: Path, of: str) -> dict[str, Result]:
    """Return what has passed of a version, by its command."""
    file = directory / "results.json"
    document: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {"of": None}
    if document["of"] != of:
        return {}
    results = (Result(**{**one, "last_lines": tuple(one["last_lines"])}) for one in document["results"])
    return {one.command: one for one in results if one.outcome == "passed"}


def main(words: Sequence[str] | None = None) -> int:
    """Run what is asked for; return 1 unless all of it passed."""
    parser = argparse.ArgumentParser(prog="python -m tests.nightly", description=(__doc__ or "").split("\n\n")[0])
    amount = parser.add_mutually_exclusive_group()
    amount.add_argument("--weekend", action="store_true", help="all of each part, which takes a day and longer")
    amount.add_argument("--short", action="store_true", help="a shortened form of each part, which shows that it runs")
    parser.add_argument("--only", nargs="+", default=[], metavar="PART", help="these parts alone")
    parser.add_argument("--anew", action="store_true", help="also what has passed of this commit before")
    parser.add_argument("--to", type=Path, default=Path("var/nightly"), help="where logs, results and page go")
    options = parser.parse_args(words)
    try:
        planned = parts("weekend" if options.weekend else "short" if options.short else "night", only=options.only)
    except ValueError as error:
        parser.error(str(error))
    return int(night(planned, options.to, of=version(), anew=options.anew) > 0)


if __name__ == "__main__":
    sys.exit(main())
