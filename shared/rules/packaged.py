"""Documents that lie beside the code that reads them."""

from importlib.resources import files
from typing import Any, Final

import yaml

_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
"""libyaml's, where PyYAML was built with it: it takes a tenth of the time."""


def packaged(package: str, name: str) -> Any:
    """Return the YAML document of that name in a package."""
    return parsed(files(package).joinpath(name).read_text(encoding="utf-8"))


def parsed(text: str) -> Any:
    """Return the document of a YAML text. Raises: yaml.YAMLError."""
    try:
        return yaml.load(text, Loader=_LOADER)  # noqa: S506 - a safe loader
    except (ValueError, RecursionError, LookupError, AttributeError, TypeError) as error:
        # YAML's own constructors raise these, of a 2026-02-30 or of what is nested too deeply.
        raise yaml.YAMLError(f"{type(error).__name__}: {error}") from error
