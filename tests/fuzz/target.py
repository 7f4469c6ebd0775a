"""A target of fuzzing: something that takes bytes, some that it reads, and the one way in which it refuses others."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic_core import from_json

from shared.rules.errors import Refused

BYTES_MAX: Final = 64 * 1024
"""How long an input is at most."""


@dataclass(frozen=True, slots=True)
class Target:
    """Something that takes bytes; `inputs` are some that it reads, and `refuses` is all that it may raise."""

    name: str
    inputs: Sequence[bytes]
    takes: Callable[[bytes], object]
    refuses: tuple[type[Exception], ...] = ()

    def __call__(self, data: bytes) -> bool:
        """Return whether it read an input or refused it as it declares; whatever else it raises is a finding."""
        try:
            self.takes(data)
        except self.refuses:
            return False
        return True


def json_of(data: bytes) -> Any:
    """Return the document in an input, for what is given documents. Raises: Refused where it is none."""
    try:
        return from_json(data, allow_inf_nan=False)
    except ValueError as error:
        raise Refused("no JSON") from error


def text_of(takes: Callable[[str], object]) -> Callable[[bytes], object]:
    """Return what takes the text of bytes: what is no UTF-8 never gets as far."""
    return lambda data: takes(data.decode("utf-8", "replace"))
