"""An MkDocs hook that generates the documentation page of all reports."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

from services.reporting.framework.definition import Report
from services.reporting.framework.document import Column, Section
from services.reporting.rendering import FORMATS
from services.reporting.reports import REPORTS

_PAGE: Final = "reports.md"
"""The path of the page in the site."""
_PICTURES: Final = "reports"
"""The folder of the pictures, next to the page."""

_HEAD: Final = f"""# Reports

Every report that the service `reporting` answers: what it shows, column by column, how each figure is computed and
which facts it comes from. The pictures are first pages of the demo's gaming day (`make demo`).

- **Ask** with `pitledger report NAME --property P --day|--week|--month|--quarter|--year ... --as
  {"|".join(FORMATS)}`, or `GET /reports/NAME?property=...&gaming_day=...&period=...&as=...`. A week begins as
  the jurisdiction pack says.
- **Every figure leads to its entries**: `--explain SECTION/ROW/COLUMN` (`GET /reports/NAME/entries?...&cell=...`) lists
  the journal entries that add up to it, each with its sign or factor, what rounding added, and the slips, boxes and
  counts behind it; the row of sums is `total`. A percentage, an average or a tax is no sum: its entries have no factor.
- **As known at a moment**: with `--known-at` a report has what was recorded up to then, and the same bytes each time.
- **Stage**: `open`, `preliminary` (all of the day is there), `final` (sealed by a second person), `restated` (version
  n; a last section lists what changed after the seal, who stands for it and why).
- **Identities** that must hold stand below the figures; a page on which one fails says so. **Marks** name the values of
  law behind a column that are unconfirmed.

Amounts are whole cents in JSON, CSV and Parquet, and dollars on pages and in workbooks. This page is written from the
definitions when the site is built.
"""


def on_files(files: Any, *, config: Any) -> Any:
    """Add the generated page to the files of the documentation site."""
    from mkdocs.structure.files import File  # only builds of the site have mkdocs

    pictures = (Path(config.docs_dir) / _PICTURES).glob("*.png")
    files.append(File.generated(config, _PAGE, content=page(picture.stem for picture in pictures)))
    return files


def page(pictures: Iterable[str] = ()) -> str:
    """Return the page as Markdown; `pictures` are the names of the reports that have a picture."""
    shown = frozenset(pictures)
    index = "".join(f"- [{one.title}](#{one.name}): `{one.name}`\n" for one in REPORTS.values())
    return "\n".join((_HEAD, index, *(_report(one, with_picture=one.name in shown) for one in REPORTS.values())))


def _report(report: Report, *, with_picture: bool) -> str:
    kinds = ", ".join(f"`{fact.KIND.name}`" for fact in report.sources)
    picture = f"![{report.title}]({_PICTURES}/{report.name}.png)\n\n" if with_picture else ""
    signed = f" Signed by: {', '.join(report.signatures)}." if report.signatures else ""
    return (
        f'<a id="{report.name}"></a>\n\n## {report.title}\n\n{report.about}\n\n'
        f"Of a {', '.join(report.periods)}. Facts: {kinds}.{signed}\n\n{picture}"
        + "\n".join(map(_section, report.sections))
    )


def _section(section: Section) -> str:
    rows = "".join(map(_column, section.columns))
    return (
        f"### {section.title} (`{section.name}`)\n\n| column | title | unit | how it is computed | source |\n"
        f"|---|---|---|---|---|\n{rows}"
    )


def _column(column: Column) -> str:
    return f"| `{column.name}` | {column.title} | {column.unit} | {column.formula} | {column.source} |\n"
