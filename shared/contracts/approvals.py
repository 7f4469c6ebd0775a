"""What every approval by a second person records: what that person was shown."""

from shared.contracts.envelope import Contract, Digest


class AsShown(Contract):
    """What somebody decided on: `subject_sha256` is the `sha256` of the document that was shown to that person.

    The document is served by the service that records this; approvals of earlier releases do not name one.
    """

    subject_sha256: Digest | None = None
