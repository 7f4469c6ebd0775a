"""Commands whose decision depends on the time and on the data of a gaming day at that time."""

from datetime import datetime

from pydantic import PrivateAttr

from shared.runtime.commands.command import Command


class AsOf(Command):
    """A command about a gaming day's counts; the time of the command determines which counts may still arrive."""

    _asked_at: datetime | None = PrivateAttr(default=None)

    def ask(self, at: datetime) -> None:
        """Set the time of the command, which is not part of the request."""
        self._asked_at = at

    @property
    def asked_at(self) -> datetime:
        """Return the time of the command."""
        assert self._asked_at is not None, "the route sets the moment"
        return self._asked_at
