"""A night: every part is there and bounded, and one page says what each came to."""

import importlib.util
import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest

from tests.nightly.__main__ import night
from tests.nightly.parts import LONGER_MAX, Amount, Part, parts
from tests.support.nightly import AT_NIGHT, drawn, sampled
from tests.support.services import ROOT

DEMANDED = {
    "soak", "kafka", "other examples", "seeded bugs", "pages", "documented", "twin", "attacks", "fuzz", "interfaces",
    "seeds", "days", "release", "recounts", "compiled",
}  # fmt: skip


@pytest.mark.parametrize("amount", get_args(Amount))
def test_every_part_names_what_exists(amount: Amount) -> None:
    """Modules, tests and targets; the shortened forms, too."""
    planned = parts(amount)
    assert DEMANDED == {part.name for part in planned}
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
    for part in planned:
        words = [word for word in part.command if "=" not in word]
        if "-m" in words:
            assert importlib.util.find_spec(words[words.index("-m") + 1]) is not None, part
        for word in words:
            assert not word.startswith("tests/") or (ROOT / word).exists(), part
        assert "make" not in words or words[words.index("make") + 1] in targets, part


def test_a_night_ends_within_a_hundred_minutes() -> None:
    """What all parts take comes to that, and whatever they come to, to twice as long; a weekend has less of none."""
    nights, weekends = parts("night"), parts("weekend")
    assert 100 >= sum(part.seconds_max for part in nights) / LONGER_MAX / 60
    assert all(night.seconds_max <= weekend.seconds_max for night, weekend in zip(nights, weekends, strict=True))


PICKED = [part for part in parts("short") if part.command[0] == "pytest" and "-k" in part.command]


@AT_NIGHT
@pytest.mark.parametrize("part", PICKED, ids=lambda part: part.name)
def test_a_short_form_picks_a_test(part: Part) -> None:
    """Whoever leaves a test to the night, or renames it, leaves none of these without any."""
    words = [sys.executable, "-m", *part.command, "--collect-only"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


def test_make_runs_it() -> None:
    """`make nightly` is the whole of it."""
    recipe = re.search(r"^nightly:.*\n\t(.*)$", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert recipe is not None
    assert "-m tests.nightly" in recipe[1]


def test_the_page_says_what_each_part_came_to(tmp_path: Path) -> None:
    """One that fails, or takes too long, keeps none of the others from running; nothing of it is left."""
    planned = [
        Part("good", "that it ends well", ("python", "-c", "print('all is <well>')"), 60),
        Part("bad", "that it fails", ("python", "-c", "raise SystemExit(3)"), 60),
        Part("endless", "that it is bounded", ("sh", "-c", "echo $$; exec sleep 600"), 5),
        Part("last", "that it runs all the same", ("true",), 60),
    ]
    assert 2 == night(planned, tmp_path)
    results = json.loads((tmp_path / "results.json").read_text())["results"]
    outcomes = ["passed", "failed", "too long", "passed"]
    assert outcomes == [one["outcome"] for one in results]
    with pytest.raises(ProcessLookupError):
        os.kill(int((tmp_path / "endless.log").read_text().split()[0]), 0)
    said = (tmp_path / "report.html").read_text()
    assert outcomes == re.findall(r">(passed|failed|too long)</td>", said)
    assert "all is &lt;well&gt;" in said
    assert shlex.join(planned[3].command) in said


def test_an_unknown_part_is_named() -> None:
    """With those that there are."""
    with pytest.raises(ValueError, match="no part is named sok; there are: soak, kafka"):
        parts("night", only=["sok"])


def test_a_night_that_was_cut_goes_on(tmp_path: Path) -> None:
    """What has passed of a version is not run again; what has not, is asked for anew, or is of another version is."""
    once, never, always = (
        Part("once", "that it passes once", ("sh", "-c", f"echo >> {tmp_path / 'once'}"), 60),
        Part("never", "that it fails", ("sh", "-c", f"echo >> {tmp_path / 'never'}; exit 1"), 60),
        Part("always", "that it is left", ("sh", "-c", f"echo >> {tmp_path / 'always'}"), 60),
    )

    def ran() -> list[int]:
        return [len((tmp_path / one.name).read_text()) if (tmp_path / one.name).exists() else 0 for one in planned]

    planned = [once, never, always]
    night([once, never], tmp_path, of="this")
    assert [1, 1, 0] == ran()
    night([never], tmp_path, of="this")
    assert [1, 2, 0] == ran()
    assert 1 == night(planned, tmp_path, of="this")
    assert [1, 3, 1] == ran()
    assert ["passed", "failed", "passed"] == re.findall(
        r">(passed|failed)</td>", (tmp_path / "report.html").read_text()
    )
    night(planned, tmp_path, of="this", anew=True)
    assert [2, 4, 2] == ran()
    night(planned, tmp_path, of="another")
    assert [3, 5, 3] == ran()
    night(planned, tmp_path, of=None)
    assert [4, 6, 4] == ran()


class _Example(pytest.Item):
    """An example of a test; none of these runs."""

    def runtest(self) -> None:
        raise NotImplementedError


def _examples(session: pytest.Session, name: str, number: int, *marks: pytest.MarkDecorator) -> list[pytest.Item]:
    found = list[pytest.Item](_Example.from_parent(session, name=f"{name}[{at}]") for at in range(number))
    for item in found:
        for mark in marks:
            item.add_marker(mark)
    return found


def test_each_commit_draws_others_of_what_is_sampled(request: pytest.FixtureRequest) -> None:
    """The same one draws the same again; all are drawn in time; the rest of the run stays as it is."""
    some, all_of_them = _examples(request.session, "some", 6, sampled(2)), _examples(request.session, "all", 3)
    draws = [drawn([*some, *all_of_them], f"commit {number}") for number in range(40)]
    assert draws[0] == drawn([*some, *all_of_them], "commit 0")
    assert {2} == {len(draw[:-3]) for draw in draws}
    assert 4 == len(drawn(some, "commit 0", 2))
    assert all(draw[-3:] == all_of_them for draw in draws)
    assert set(some) == {item for draw in draws for item in draw[:-3]}


def test_tests_of_one_name_are_drawn_from_together(request: pytest.FixtureRequest) -> None:
    """So many of all of their examples; those of another name by themselves."""
    session = request.session
    one, other = (_examples(session, name, 3, sampled(2, of="both")) for name in ("one", "other"))
    alone = _examples(session, "alone", 3, sampled(1, of="itself"))
    draws = [set(drawn([*one, *other, *alone], f"commit {number}")) for number in range(40)]
    assert {2} == {len(draw.intersection([*one, *other])) for draw in draws}
    assert {1} == {len(draw.intersection(alone)) for draw in draws}
    assert {*one, *other, *alone} == set().union(*draws)


def test_what_is_named_alone_is_not_sampled(request: pytest.FixtureRequest) -> None:
    """Fewer than would be drawn all run."""
    one = _examples(request.session, "some", 1, sampled(2))
    assert one == drawn(one, "any")
