"""Every service with its story: one module for each, named like its package."""

from collections.abc import Sequence
from importlib import import_module

from services.cli.services import NAMES
from tests.faults.subject import Subject

SUBJECTS: Sequence[Subject] = tuple(import_module(f"{__name__}.{name.replace('-', '_')}").SUBJECT for name in NAMES)
READING = tuple(subject for subject in SUBJECTS if subject.records)
"""Those that read topics."""

_EACH_MECHANISM = {
    "round-settlement": "facts from a topic, copied in large batches",
    "wagering-accounts": "commands decided together on locked state, many shards; facts from a topic beside them",
    "paytable-registry": "commands decided one after the other on one shard; a topic that is compacted",
    "reporting": "a projection of topics, without facts",
}
"""The services that between them have every mechanism of the runtime; what is common to all is shown on these."""
MECHANISMS = tuple(subject for subject in SUBJECTS if subject.name in _EACH_MECHANISM)
OTHERS = tuple(subject for subject in SUBJECTS if subject.name not in _EACH_MECHANISM)
