"""Commands: what each of them has."""

import pytest

from shared.runtime.commands.command import Command


@pytest.mark.parametrize("field", ["name", "content"])
@pytest.mark.filterwarnings("ignore:Field name")  # pydantic warns as well
def test_a_field_that_hides_a_method_is_refused(field: str) -> None:
    """With such a field the engine could not name the command, and whoever sent it waited for ever."""
    with pytest.raises(TypeError, match=field):
        type("OpenDoor", (Command,), {"__annotations__": {field: str}, "__module__": __name__})
