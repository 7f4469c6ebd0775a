"""What the commands on filings say of a property's document."""

import pytest

from services.cli.exits import InputRefused
from services.cli.filing.common import laws_of


@pytest.mark.parametrize("packs", [{}, {"packs": []}])
def test_a_property_without_law_is_named(packs: dict[str, list[str]]) -> None:
    """Not the folder of the installation's packs, which has nothing to do with it."""
    with pytest.raises(InputRefused, match="the property document of riverside names no packs"):
        laws_of({"property": "riverside"} | packs)
