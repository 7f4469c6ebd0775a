"""Something that one person proposes and another approves: how it comes to that, twice over."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Proposed:
    """Something that waits: where it is approved, by whom, and what is sent besides the hash of what was shown."""

    path: str
    approver: str
    body: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Case:
    """An approval by its command. `propose` brings a thing to wait for the n-th time: another one, or the same changed.

    It is given what the tests of that service work with.
    """

    name: str
    propose: Callable[[Any, int], Proposed]
