"""Export of filings and approvals: the facts about the versions of a submission, each with its proof. Pure."""

from collections.abc import Iterable
from typing import Any, Literal

from pydantic import ValidationError

from services.paytable_registry.domain.submissions import AboutSubmission, SubmissionVersion, after
from shared.contracts.catalog import decode_fact
from shared.contracts.envelope import Contract, Name
from shared.contracts.facts import KINDS
from shared.contracts.submissions import RulesSubmission, submission_hash
from shared.journal.merkle import EvidenceError
from shared.journal.proof import ProofDocument


class SubmissionsExport(Contract):
    """The facts about the versions of a submission, in the order of recording, each with its proof.

    Each proof has the fact as recorded and its position under one signed checkpoint, so that the registry's public key
    is enough to verify it.
    """

    format: Literal["pitledger-submissions-v1"] = "pitledger-submissions-v1"
    property: Name
    game: Name
    proofs: tuple[ProofDocument, ...]


def versions_of(property_name: str, game: str, facts: Iterable[tuple[str, bytes]]) -> list[SubmissionVersion]:
    """Apply proven facts, each as (kind, JSON), and return the resulting versions, ordered by number.

    Raises: EvidenceError if a fact is about another submission, a hash does not match its content, or a decision is
    about content that was not filed.
    """
    found: dict[int, SubmissionVersion] = {}
    for kind, data in facts:
        try:
            fact: Any = decode_fact(kind, data) if KINDS.of_type(kind) else None
        except ValidationError as error:
            raise EvidenceError(f"a proven {kind} is not one that this version knows: {error}") from error
        if not isinstance(fact, AboutSubmission) or (fact.property, fact.game) != (property_name, game):
            raise EvidenceError(f"a proven {kind} is not about {game} at {property_name}")
        named = f"version {fact.version} of {game} at {property_name}"
        before = found.get(fact.version)
        if isinstance(fact, RulesSubmission):
            computed = submission_hash(fact, fact.version)
            if computed != fact.hash:
                raise EvidenceError(f"{named}: the hash of its content is {computed}, and {fact.hash} was recorded")
        elif before is None or before.hash != fact.hash:
            raise EvidenceError(f"{named}: a proven {kind} is about {fact.hash}, which was not filed before it")
        found[fact.version] = after(before, fact)
    return [found[number] for number in sorted(found)]
