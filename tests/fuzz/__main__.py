"""Try inputs at everything that takes bytes from outside, guided by the places that they reach (atheris, libFuzzer).

    python -m tests.fuzz --inputs 1000000 --seed 1

prints for each target how many inputs it took, how many of them it read, how many places they reached, and how fast. An
input that was neither read nor refused as the target declares is kept below `--keep`, and the exit code is 1.
`--only` names some of the targets; `--replay FILE` tries one input again at the only one. What was mended becomes a
file of tests/fuzz/found/TARGET/, which every run begins with. Exit code 2 where there is no atheris for this machine.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from traceback import print_exc


def main(words: Sequence[str] | None = None) -> int:
    """Run the targets, two at a time, and print what came of it."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--inputs", type=int, default=100_000, help="of all targets together (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="all inputs follow from it (default: %(default)s)")
    parser.add_argument("--only", default="", help="names of targets, with commas between them")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="try this input alone, at the target of --only")
    parser.add_argument("--keep", type=Path, default=Path("var/fuzz"), help="where findings go (default: %(default)s)")
    options = parser.parse_args(words)
    only = options.only.split(",") if options.only else []
    if options.replay is not None:
        return _replay(only, options.replay)
    try:
        from tests.fuzz import guided
    except ModuleNotFoundError as error:
        if error.name != "atheris":
            raise
        sys.stderr.write("atheris is not installed: it is made for Linux on x86-64 (pip install 'pitledger[test]')\n")
        return 2
    with guided.instrumented():
        from tests.fuzz.every import targets
    wanted = targets(only)
    each = max(1, options.inputs // len(wanted))
    found = tried = 0
    _say("| target | inputs | read | features | inputs/s |\n|---|---|---|---|---|")
    with ThreadPoolExecutor(2) as running:
        for result in running.map(lambda target: guided.run(target, each, options.seed), wanted):
            rate = result.inputs / max(result.seconds, 1e-6)
            figures = f"{result.inputs:,} | {result.read:,} | {result.features:,} | {rate:,.0f}"
            _say(f"| {result.target} | {figures} |")
            for finding in result.findings:
                file = options.keep / result.target / guided.name_of(finding)
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(finding.data)
                _say(f"  {file}: {finding.reason}\n    {finding.data[:300]!r}")
            found += len(result.findings)
            tried += result.inputs
    _say(f"\n{tried:,} inputs, {found} findings, seed {options.seed}")
    return 1 if found else 0


def _replay(only: Sequence[str], file: Path) -> int:
    from tests.fuzz.every import targets

    [target] = targets(only)
    try:
        _say("read" if target(file.read_bytes()) else "refused, as the target declares")
    except Exception:  # noqa: BLE001 - whatever it is, it is the finding
        print_exc()
        return 1
    return 0


def _say(line: str) -> None:
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main())
