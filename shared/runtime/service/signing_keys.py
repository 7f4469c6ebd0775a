"""The configured keys: the private keys of a service's messages and shards, and the public keys of other services."""

from collections.abc import Sequence

from shared.contracts.topics import TOPICS, Topic
from shared.journal.shard import Seals
from shared.journal.signed_batch import BatchVerifier, signer_name
from shared.journal.signed_note import Signer, Verifier
from shared.runtime.errors import FatalServiceError
from shared.runtime.service.checkpoint_signer import listed_verifiers
from shared.runtime.settings import Settings

_OFF = "or switch it off, in tests alone, with PITLEDGER_MESSAGE_AUTHENTICATION=off"


def message_signer(settings: Settings, service: str) -> Signer | None:
    """Return the signer of a service's messages, or None if messages are not signed.

    Raises: FatalServiceError if the service's key is not configured.
    """
    if settings.message_authentication == "off":
        return None
    if settings.checkpoint_key_file is None:
        raise FatalServiceError(
            f"{service} signs what it records and publishes: name its key in PITLEDGER_CHECKPOINT_KEY_FILE, {_OFF}"
        )
    return Signer.from_pem(settings.checkpoint_key_file, signer_name(service))


def message_verifier(settings: Settings, topics: Sequence[Topic], service: str) -> BatchVerifier | None:
    """Return the verifier of messages on these topics, with their publishers' keys; None if nothing is verified.

    It also verifies replays by this service, and by other services whose keys are known. Without a file of public keys,
    all services are assumed to share this service's key. Raises: FatalServiceError if a publisher's key is missing.
    """
    publishers = sorted({topic.publisher for topic in topics if topic.publisher is not None})
    if settings.message_authentication == "off" or not publishers:
        return None
    verifier = BatchVerifier(_verifiers(settings, service))
    for publisher in publishers:
        if not verifier.knows(signer_name(publisher)):
            raise FatalServiceError(
                f"messages of {publisher} cannot be verified: add its public key, {signer_name(publisher)}+…, to the "
                f"file that PITLEDGER_CHECKPOINT_VERIFIERS_FILE names, {_OFF}"
            )
    return verifier


def shard_seals(settings: Settings, service: str, signer: Signer | None) -> Seals | None:
    """Return the seals of a service's shards, or None if nothing is signed.

    Seals by former keys are valid as long as these keys are in the file of public keys. Raises: FatalServiceError if a
    key is malformed.
    """
    return None if signer is None else Seals(signer.name, _verifiers(settings, service), signer)


def verifying_seals(settings: Settings, service: str) -> Seals | None:
    """Return the seals that verify a service's signatures without its private key, or None if nothing is signed.

    Raises: FatalServiceError if the service's public key is not configured.
    """
    if settings.message_authentication == "off":
        return None
    found = [each for each in _verifiers(settings, service) if each.name == signer_name(service)]
    if not found:
        raise FatalServiceError(
            f"what {service} signed cannot be verified: name the file of public keys in "
            "PITLEDGER_CHECKPOINT_VERIFIERS_FILE"
        )
    return Seals(signer_name(service), found)


def _verifiers(settings: Settings, service: str) -> list[Verifier]:
    key, listed = settings.checkpoint_key_file, settings.checkpoint_verifiers_file
    ours = {service}
    if listed is None:
        ours |= {topic.publisher for topic in TOPICS if topic.publisher is not None}
    found = [] if key is None else [Signer.from_pem(key, signer_name(name)).verifier for name in sorted(ours)]
    return found + listed_verifiers(settings)
