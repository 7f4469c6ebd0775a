"""Common to all approvals by a second person: the document that was shown."""

from shared.contracts.envelope import Contract, Digest


class AsShown(Contract):
    """The document that was decided on: `subject_sha256` is its `sha256`.

    The service that records this also serves the document; approvals of earlier releases do not name one.
    """

    subject_sha256: Digest | None = None
