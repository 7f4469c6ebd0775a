"""Read the catalogues in this package, each once."""

from functools import cache
from importlib.resources import files
from typing import Final

from shared.rules.catalogue._model import Catalogue
from shared.rules.errors import Refused
from shared.rules.packaged import packaged

_SUFFIX: Final = ".yaml"


@cache
def known_regulations() -> tuple[str, ...]:
    """Return the ids of the regulations that have a catalogue, sorted."""
    names = (entry.name for entry in files(__package__).iterdir())
    return tuple(sorted(name.removesuffix(_SUFFIX) for name in names if name.endswith(_SUFFIX)))


@cache
def catalogue(regulation: str) -> Catalogue:
    """Return the catalogue of one regulation; raise `Refused` for an unknown id."""
    if regulation not in known_regulations():
        raise Refused(f"regulation {regulation!r} is not known; known are {', '.join(known_regulations())}")
    return Catalogue.model_validate(packaged(__package__, regulation + _SUFFIX))
