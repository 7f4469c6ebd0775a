"""The sign and the gaming guide of a version of a submission. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final

from services.paytable_registry.domain.submissions import SubmissionVersion
from shared.contracts.rejection import Reason, Rejected
from shared.rules import Refused, Submission
from shared.rules.signs import Sheet, guide, sign
from shared.rules.signs.sheet import Kind

_SHEETS: Final[Mapping[Kind, Callable[[str, Submission], Sheet]]] = {"sign": sign, "guide": guide}


def sheet_of(version: SubmissionVersion, kind: Kind) -> Sheet:
    """Return the sign or the guide of a version, with a warning unless the version is approved.

    Raises: Rejected if its regulation does not allow the submission, which is possible for a draft.
    """
    try:
        sheet = _SHEETS[kind](version.regulation, version.submission)
    except Refused as refused:
        raise Rejected(Reason.NOT_ALLOWED, f"there is no {kind} of version {version.version}: {refused}") from None
    named = (
        ("Property", version.property),
        ("Submission", f"{version.game}, version {version.version}, {version.status}"),
        ("Effective from", version.effective_from.isoformat()),
        ("SHA-256", version.hash),
    )
    warning = None if version.status == "approved" else f"Version {version.version} is not approved: not to be posted."
    return replace(sheet, about=(*sheet.about, *named), warning=warning)
