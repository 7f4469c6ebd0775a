"""docs/devices.md: what it shows is what is accepted."""

import re
import runpy

import yaml

from shared.contracts.device_signatures import HEADER, DeviceSignature
from shared.contracts.devices import SigningSystem
from shared.contracts.properties import Device
from tests.support.devices import TERMINAL, key_of, registered
from tests.support.services import ROOT

PAGE = (ROOT / "docs" / "devices.md").read_text()
BLOCKS = re.findall(r"```(\w+)\n(.*?)```", PAGE, re.DOTALL)
EXAMPLE = ROOT / "docs" / "examples" / "sign_event.py"


def test_the_example_signs_as_a_device_must() -> None:
    """With nothing of ours; the page shows it as it is."""
    [shown, _] = [block for language, block in BLOCKS if language == "python"]
    assert shown in EXAMPLE.read_text()
    signed_headers = runpy.run_path(str(EXAMPLE))["signed_headers"]
    [(name, header)] = signed_headers(key_of(TERMINAL), TERMINAL, "table.events", b"{}")
    assert HEADER == name
    found = DeviceSignature.read(header)
    found.require(registered()["public_key"], b"{}")
    assert (TERMINAL, "table.events") == (found.kid, found.topic)


def test_the_registration_on_the_page_is_one() -> None:
    """Two devices and a system with their keys."""
    [block] = [block for language, block in BLOCKS if language == "yaml"]
    said = yaml.safe_load(block.replace("…", "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"))
    [table], [system] = said["tables"], said["systems"]
    terminal, reader = (Device.model_validate(one) for one in table["devices"])
    assert (TERMINAL, ("rating.events",)) == (terminal.signing_keys[0].kid, reader.signs)
    assert ("BJ-01", "BJ-02") == SigningSystem.model_validate(system).tables
