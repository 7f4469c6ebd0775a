"""Read YAML with one loader: documents stored next to the code that uses them, and users' documents."""

import re
from collections.abc import Hashable
from importlib.resources import files
from typing import Any, Final

import yaml

UNCLEAR: Final = "tag:pitledger:unclear-number"
"""The tag of a number that YAML 1.1 reads differently from most people; such numbers are refused."""

_NUMBERS: Final = ("tag:yaml.org,2002:int", "tag:yaml.org,2002:float")
_DECIMAL: Final = re.compile(r"[-+]?(?:0|[1-9][0-9]*)?(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?", re.ASCII)
_LEADING_ZERO: Final = re.compile(r"[-+]?0[0-9_]+(?:\.[0-9_]*)?(?:[eE][-+]?[0-9]+)?", re.ASCII)


class UnclearNumber(yaml.constructor.ConstructorError):
    """A number is not written as a plain decimal number."""


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML's safe loader, except that it refuses duplicate keys and numbers that are not plain decimals.

    The base loader keeps the last of duplicate keys, and follows YAML 1.1: `010000` is octal, 4,096, `1:30` is 90.

    This loader uses libyaml if PyYAML was built with it, because libyaml is ten times as fast.
    """

    def resolve(self, kind: type[yaml.Node], value: str, implicit: Any) -> str:
        """Return the tag of a node without a tag: `UNCLEAR` for a number that is not a plain decimal.

        A leading zero makes a value unclear even if YAML 1.1 reads it as text: 08 is a text, although 07 is a number.
        """
        tag: str = super().resolve(kind, value, implicit)
        if kind is not yaml.ScalarNode or not implicit[0]:
            return tag
        is_unclear = _LEADING_ZERO.fullmatch(value) or (tag in _NUMBERS and not _DECIMAL.fullmatch(value))
        return UNCLEAR if is_unclear else tag

    def construct_number(self, node: yaml.ScalarNode) -> Any:
        """Return the number of a node. Raises: UnclearNumber if it is not a plain decimal."""
        value = str(node.value)
        if node.tag == UNCLEAR or _LEADING_ZERO.fullmatch(value) or not _DECIMAL.fullmatch(value):
            if _LEADING_ZERO.fullmatch(value):
                why = "begins with a zero, which YAML may read as octal: write it without, or quote it if it is text"
            elif "_" in value:
                why = "is written with underscores: write its digits alone, or quote it if it is text"
            else:
                why = "is no decimal number: write it in decimal digits, or quote it if it is text"
            raise UnclearNumber(None, None, f"{value} {why}", node.start_mark)
        is_whole = node.tag == _NUMBERS[0]
        return self.construct_yaml_int(node) if is_whole else self.construct_yaml_float(node)

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        """Return a mapping. Raises: yaml.constructor.ConstructorError for a duplicate key."""
        seen: set[object] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != "tag:yaml.org,2002:merge":
                found = self.construct_object(key, deep=True)
                if found in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"key {key.value!r} stands twice in one mapping", key.start_mark
                    )
                seen.add(found)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return mapping


for _tag in (*_NUMBERS, UNCLEAR):
    Loader.add_constructor(_tag, Loader.construct_number)


def packaged(package: str, name: str) -> Any:
    """Return the content of the YAML file of that name in a package."""
    return parsed(files(package).joinpath(name).read_text(encoding="utf-8"))


def parsed(text: str) -> Any:
    """Return the content of a YAML text. Raises: yaml.YAMLError."""
    try:
        return yaml.load(text, Loader=Loader)  # noqa: S506 - a safe loader
    except (ValueError, RecursionError, LookupError, AttributeError, TypeError) as error:
        # PyYAML's constructors raise these, for example for 2026-02-30, or for nesting that is too deep.
        raise yaml.YAMLError(f"{type(error).__name__}: {error}") from error
