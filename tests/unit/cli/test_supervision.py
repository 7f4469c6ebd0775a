"""A part of a stack that ends by itself is started again, ever later the more often it does."""

from dataclasses import dataclass, field

import pytest

from services.cli.exits import StackEnded
from services.cli.stack.supervision import Part, Supervisor
from shared.local.errors import LocalStackError


@dataclass
class Floor:
    """A part that ends when told to, a clock, and what was reported. `fails` is how many starts go wrong."""

    now: float = 0.0
    down: bool = False
    fails: int = 0
    starts: list[float] = field(default_factory=list)
    said: list[str] = field(default_factory=list)

    def part(self, *, keeps: bool = True) -> Part:
        return Part(
            "vigorish", lambda: StackEnded("vigorish", 137) if self.down else None, self.start if keeps else None
        )

    def start(self) -> None:
        self.starts.append(self.now)
        if self.fails:
            self.fails -= 1
            raise LocalStackError("the port is taken")
        self.down = False

    def supervisor(self, *, keeps: bool = True) -> Supervisor:
        return Supervisor([self.part(keeps=keeps)], report=self.said.append, clock=lambda: self.now)

    def watch(self, supervisor: Supervisor, seconds: float) -> None:
        """Look every tenth of a second for so long."""
        for _ in range(round(seconds * 10)):
            self.now = round(self.now + 0.1, 1)
            supervisor.look()


def test_what_runs_is_left_alone() -> None:
    """Nothing is started and nothing said as long as nothing ends."""
    floor = Floor()
    floor.watch(floor.supervisor(), 100)
    assert ([], []) == (floor.starts, floor.said)


def test_what_ended_is_started_after_half_a_second_and_named() -> None:
    """Whoever reads the messages knows what ended, how, and that it runs again."""
    floor = Floor(down=True)
    floor.watch(floor.supervisor(), 2)
    assert [0.6] == floor.starts
    assert [
        "vigorish ended by itself, killed by signal 9; starting it again in 0.5 s",
        "vigorish is started again",
    ] == floor.said


def test_each_time_it_waits_twice_as_long_up_to_half_a_minute() -> None:
    """A part that ends at once again and again is not started in a tight loop, and never given up."""
    floor = Floor()
    supervisor = floor.supervisor()
    for _ in range(9):
        floor.down = True
        floor.watch(supervisor, 31)
    delays = [float(line.removesuffix(" s").rpartition(" ")[2]) for line in floor.said if line.endswith(" s")]
    assert [0.5, 1, 2, 4, 8, 16, 30, 30, 30] == delays
    assert 9 == len(floor.starts)


def test_one_that_ran_for_a_minute_counts_as_one_that_never_ended() -> None:
    """A part that dies once a day is always started at once."""
    floor = Floor()
    supervisor = floor.supervisor()
    for _ in range(3):
        floor.down = True
        floor.watch(supervisor, 62)
    assert {"0.5 s"} == {line[-5:] for line in floor.said if line.endswith(" s")}


def test_a_start_that_fails_is_put_off_with_its_reason() -> None:
    """What keeps a part from starting is said, and it is tried again."""
    floor = Floor(down=True, fails=2)
    floor.watch(floor.supervisor(), 10)
    assert 3 == len(floor.starts)
    assert "vigorish does not start: the port is taken; starting it again in 1 s" == floor.said[1]
    assert "vigorish is started again" == floor.said[-1]


def test_one_of_which_nothing_is_left_ends_everything() -> None:
    """A broker in memory that is gone has lost what it held: to go on would hide that."""
    floor = Floor(down=True)
    with pytest.raises(StackEnded, match="vigorish ended by itself"):
        floor.supervisor(keeps=False).look()
    assert [] == floor.starts
