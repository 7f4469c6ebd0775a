"""Progress display of the demo on the terminal."""

import sys
import time
from typing import Final

from rich.progress import BarColumn, TextColumn
from rich.progress import Progress as Bars

from loadtest.traffic import playing
from services.cli.output import console, message

_MESSAGE_SECONDS: Final = 5.0


class Progress(Bars):
    """The progress of the day: bars on a terminal, a line every few seconds elsewhere."""

    def __init__(self, rounds: int) -> None:
        super().__init__(
            TextColumn("{task.description:<9}"),
            BarColumn(),
            TextColumn("{task.completed:>7,.0f} of {task.total:,.0f}"),
            TextColumn("{task.fields[rate]}"),
            console=console(stderr=True),
            disable=not sys.stderr.isatty(),
        )
        self._rounds = rounds
        self._told_at = time.monotonic()
        self._stages = {
            name: self.add_task(name, total=rounds, rate="") for name in ("produced", "settled", "reported")
        }

    def show(self, now: playing.Progress) -> None:
        """Show the progress of each stage."""
        for name, task in self._stages.items():
            done: int = getattr(now, name)
            rate = f"{done / now.seconds:,.0f}/s" if now.seconds > 1 else ""
            total = max(self._rounds, now.produced, now.entries if name == "reported" else 0)
            self.update(task, completed=done, total=total, rate=rate)
        if self.disable and time.monotonic() - self._told_at > _MESSAGE_SECONDS:
            self._told_at = time.monotonic()
            message(f"produced {now.produced:,}, settled {now.settled:,}, reported {now.reported:,}")
