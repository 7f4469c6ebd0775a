"""How the attacks are to be named that are named alike."""

from tests.attacks.outcome import NO_READYZ, NO_VERIFY
from tests.attacks.pace import A_COMPARISON, A_LOOK_AT_TOPICS, A_WATCH, AT_ONCE, Stated
from tests.attacks.watching import Metric, Named, No, Says


def at_the_door(
    service: str, metric: Metric, *, alert: str | No, log: str | No, stated: Stated = AT_ONCE, readyz: str = NO_READYZ
) -> Named:
    """Return how it is named that something was refused before the journal had anything of it."""
    return Named(
        service=service,
        stated=stated,
        metric=metric,
        readyz=No(readyz),
        alert=alert,
        log=log,
        verify=No(NO_VERIFY),
    )


def not_verified(
    service: str, verify: Says, *, stated: Stated = A_WATCH, with_readyz: bool = False, readyz: str = ""
) -> Named:
    """Return how it is named that a journal is not what was recorded; `readyz` is how the page goes on."""
    return Named(
        service=service,
        stated=stated,
        metric=Metric("pitledger_verification_ok", to=0, with_readyz=with_readyz),
        readyz=f"503 verification:{readyz}",
        alert="PitledgerVerificationFailed",
        log="journal verification found a problem",
        verify=verify,
    )


def not_projected(service: str, differs: str) -> Named:
    """Return how it is named that a read model does not follow from its journal."""
    return Named(
        service=service,
        stated=A_COMPARISON,
        metric=Metric("pitledger_projection_differences", by=1),
        readyz="503 projections:",
        alert="PitledgerProjectionDiffers",
        log="projection differs from journal",
        verify=Says(("rebuild", service, "--check"), 1, differs),
    )


def stopped(service: str, topic: str, verify: Says | No) -> Named:
    """Return how it is named that a service does not go on with a topic."""
    return Named(
        service=service,
        stated=A_LOOK_AT_TOPICS,
        metric=Metric("pitledger_partitions_stopped", {"topic": topic}, by=1),
        readyz="503 input:",
        alert="PitledgerPartitionStopped",
        log="partition halted",
        verify=verify,
    )
