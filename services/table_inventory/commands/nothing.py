"""Commands that list pieces: an empty list must be confirmed, because it may be a form that was not filled in."""

from typing import Annotated, Any

from pydantic import AfterValidator, Field, ValidationInfo

from shared.runtime.commands.command import Command


def _as_listed(is_empty: bool, info: ValidationInfo) -> bool:
    contents = info.data.get("contents")
    if contents is None:  # it is refused by itself
        return is_empty
    if is_empty and contents:
        raise ValueError("'is_empty' says that nothing is there, and 'contents' lists something")
    if not is_empty and not contents:
        raise ValueError("'contents' lists nothing: list what is there, or say 'is_empty' if that is nothing")
    return is_empty


IsEmpty = Annotated[
    bool,
    Field(validate_default=True, description="true to confirm that `contents` is empty because nothing is there"),
    AfterValidator(_as_listed),
]
"""Whether the command's `contents` (declared before this field) is deliberately empty."""


def fields_to_record(command: Command) -> dict[str, Any]:
    """Return the fields of a command that its fact records: all except `is_empty`, which follows from `contents`."""
    return {name: value for name, value in command if name != "is_empty"}
