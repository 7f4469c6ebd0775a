"""Generate docs/problems.md from the reasons for rejections: `python -m shared.runtime.http.problems_page`."""

from pathlib import Path
from typing import Final

from shared.contracts.rejection import Reason
from shared.runtime.http.problems import PROBLEM, problem_type, problem_uri

PAGE: Final = Path(__file__).parents[3] / "docs" / "problems.md"

_HEAD: Final = f"""# Problems

Whatever a service rejects, it answers with a problem document (RFC 9457, `{PROBLEM}`). Decide by
`type`: it is stable. `detail` names the thing, the value and the way out, in words that may change. `paragraph` is the
rule of a regulation that says so, `errors` lists the places of a malformed request, `problems` all that is wrong with a
document (each with `pointer`, a JSON pointer, `detail` and `paragraph`), `checks` what keeps a service from
being ready.

This page is written from the source by `make generated`.

| type | status | title | what to do |
| --- | --- | --- | --- |
"""


def page() -> str:
    """Return docs/problems.md, a table of all reasons, ordered by status."""
    reasons = sorted(Reason, key=lambda reason: problem_type(reason).status)
    return _HEAD + "".join(_line(reason) for reason in reasons)


def _line(reason: Reason) -> str:
    kind = problem_type(reason)
    return f"| `{problem_uri(reason)}` | {kind.status} | {kind.title} | {kind.remedy} |\n"


if __name__ == "__main__":
    PAGE.write_text(page())
