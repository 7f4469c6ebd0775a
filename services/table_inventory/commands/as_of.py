"""Commands whose state depends on the moment at which they are asked for."""

from datetime import datetime

from pydantic import PrivateAttr

from shared.runtime.commands.command import Command


class AsOf(Command):
    """A command about counts of a gaming day: whether a count may still come of the day goes by its moment."""

    _asked_at: datetime | None = PrivateAttr(default=None)

    def ask(self, at: datetime) -> None:
        """Set the moment, which is not part of the request."""
        self._asked_at = at

    @property
    def asked_at(self) -> datetime:
        """Return when it is asked for."""
        assert self._asked_at is not None, "the route sets the moment"
        return self._asked_at
