"""Every service with its story: one module for each, named like its package."""

from collections.abc import Sequence
from importlib import import_module

from services.cli.services import NAMES
from tests.faults.subject import Subject

SUBJECTS: Sequence[Subject] = tuple(import_module(f"{__name__}.{name.replace('-', '_')}").SUBJECT for name in NAMES)
READING = tuple(subject for subject in SUBJECTS if subject.records)
"""Those that read topics."""
COMMANDED = tuple(subject for subject in SUBJECTS if subject.commands)
"""Those that people command over HTTP."""
