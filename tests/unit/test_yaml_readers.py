"""Whatever reads YAML: with one loader, so that no number is read as another one than it is written."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

from services.cli import documents
from shared.rules.packaged import Loader, parsed

ROOT = Path(__file__).parents[2]

READERS = {
    "shared/rules/packaged.py": "yaml.load(text, Loader=Loader)",
    "services/cli/documents.py": "yaml.load_all(text, _Loader)",
}
"""Both refuse a number that YAML 1.1 reads as another one."""
WITHOUT_VALUES = {"infra/prose_sample.py": "yaml.compose(words.read_text('utf-8'))"}
"""Reads texts with their lines, and makes no number of them."""


def test_nothing_else_reads_yaml() -> None:
    """Two modules read values with PyYAML, both with the loader that refuses; all others call these two."""
    assert sorted((READERS | WITHOUT_VALUES).items()) == sorted(_reads())
    assert issubclass(documents._Loader, Loader)


def _reads() -> Iterator[tuple[str, str]]:
    """Yield the uses of PyYAML's readers in the product: the file, and the call or name."""
    for room in ("services", "shared", "infra", "pitledger", "loadtest"):
        for path in sorted((ROOT / room).rglob("*.py")):
            tree = ast.parse(path.read_text())
            called = {id(one.func): one for one in ast.walk(tree) if isinstance(one, ast.Call)}
            for node in ast.walk(tree):
                match node:
                    case ast.Attribute(value=ast.Name(id="yaml"), attr=name) if _reads_yaml(name):
                        yield str(path.relative_to(ROOT)), ast.unparse(called.get(id(node), node))
                    case ast.ImportFrom(module="yaml" | "ruamel.yaml"):
                        yield str(path.relative_to(ROOT)), ast.unparse(node)


def _reads_yaml(name: str) -> bool:
    return any(part in name.lower() for part in ("load", "parse", "scan", "compose")) and "Loader" not in name


@pytest.mark.parametrize("number", ["010", "1_000", "0x1F", "0b11", "1:30", "08", "01.5", ".inf"])
def test_packs_and_lists_of_an_installation_are_read_with_it(number: str) -> None:
    """Packs and the list of those who are locked out refuse the same numbers, with the line."""
    with pytest.raises(yaml.YAMLError, match="line 2") as refused:
        parsed(f"a: 1\ncents: {number}\n")
    assert number in str(refused.value)
    assert {"cents": number} == parsed(f"cents: '{number}'")
