"""Every cell of a report against the entries behind it, which add up to it; explained.yaml has those that do not."""

from collections.abc import Mapping
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import yaml

from services.reporting.framework.definition import Report
from services.reporting.framework.question import ReportQuery
from services.reporting.read_model.explaining import Explaining
from services.reporting.report_service import RESTATEMENTS, Provenance, answer, books_of, explain_cell
from shared.runtime.snapshot_reader import SnapshotReader

_FIGURES: Final = frozenset({"cents", "exact_cents", "count"})
_EVERYWHERE: Final = f"{RESTATEMENTS.name}/version"
Why = Literal["computed", "given"]


@cache
def _no_sums() -> Mapping[Why, Mapping[str, list[str]]]:
    found: Any = yaml.safe_load((Path(__file__).parent / "explained.yaml").read_text())
    return dict(found)


async def unexplained(reader: SnapshotReader, report: Report, question: ReportQuery) -> list[str]:
    """Return the cells of a report to which their entries do not add up, though they should, with both amounts."""
    document = await answer(reader, report, question, explain=True)
    explaining = Explaining(await books_of(reader, question))
    cells = [await explain_cell(document, explaining, cell) for cell in document.references()]
    return [f"{one.cell}: {one.value}, of its entries {one.adds_up_to}" for one in cells if not _adds_up(one)]


def _adds_up(one: Provenance) -> bool:
    """Return whether a cell is explained: by a sum, or as it is known to be."""
    if one.unit not in _FIGURES:
        return True
    if one.adds_up_to is not None:
        assert one.rounding is not None, f"{one.cell} says what rounding added"
        return Fraction(one.adds_up_to) + Fraction(one.rounding) == Fraction(str(one.value))
    return not Fraction(str(one.value)) or is_no_sum(one.report, one.cell, "computed" if one.entries else "given")


def is_no_sum(report: str, cell: str, why: Why) -> bool:
    """Return whether a cell (`section/row/column`) of a report is known to be no sum, for this reason."""
    section, _, rest = cell.partition("/")
    column = rest if section == "identities" else rest.rpartition("/")[2]
    return f"{section}/{column}" in (_EVERYWHERE, *_no_sums()[why].get(report, ()))
