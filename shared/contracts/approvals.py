"""The field common to all approvals by a second person: the hash of the document shown to the approver."""

from shared.contracts.envelope import Contract, Digest


class AsShown(Contract):
    """A decision on a document shown to the decider: `subject_sha256` is the `sha256` of that document.

    The service that records the decision also serves the document. Decisions recorded by earlier releases have no hash.
    """

    subject_sha256: Digest | None = None
