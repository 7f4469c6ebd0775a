"""Read YAML documents that are stored next to the code that uses them."""

from collections.abc import Hashable
from importlib.resources import files
from typing import Any

import yaml


class Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML's safe loader, except that it refuses duplicate keys, of which YAML's own loader keeps the last.

    It uses libyaml if PyYAML was built with it, which is ten times as fast.
    """

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
