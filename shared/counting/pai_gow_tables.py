"""The files of the samples of Pai Gow Poker and Face Up Pai Gow Poker.

Each file also has the results of the first deals, for a quick check.
"""

from collections.abc import Mapping
from time import monotonic
from typing import Any, Final

import yaml

from shared.cards.ranking.pai_gow import Wheel
from shared.counting.pai_gow import FaceUpSample, Sample, sample_face_up, sample_hidden
from shared.counting.provenance import Provenance

PAI_GOW: Final = "pai-gow"
FACE_UP: Final = "face-up"
PAI_GOW_PATH: Final = "shared/rules/pai_gow/samples.yaml"
FACE_UP_PATH: Final = "shared/rules/face_up_pai_gow/sample.yaml"
SEEDS: Final[Mapping[Wheel, int]] = {"second_highest": 645, "lowest": 401}
FACE_UP_SEED: Final = 688
DEALS: Final = 200_000
FACE_UP_DEALS: Final = 150_000
FIRST: Final = 500
"""The number of first deals that every test run repeats."""
VERSION: Final = 1
"""The version of the sampler; increase it when it deals differently."""


def pai_gow_texts(deals: int = DEALS) -> Mapping[str, str]:
    """Sample Pai Gow Poker for each possible rank of the straight A-2-3-4-5; return path -> content of the file."""
    began = monotonic()
    samples = {wheel: hidden_document(sample_hidden(deals, seed, wheel)) for wheel, seed in SEEDS.items()}
    return _texts(PAI_GOW, PAI_GOW_PATH, deals, f"seeds {SEEDS}", {"first": first_hidden(), "samples": samples}, began)


def face_up_texts(deals: int = FACE_UP_DEALS) -> Mapping[str, str]:
    """Sample Face Up Pai Gow Poker; return path -> content of the file."""
    began = monotonic()
    sample = face_up_document(sample_face_up(deals, FACE_UP_SEED))
    document = {"first": first_face_up(), "sample": sample}
    return _texts(FACE_UP, FACE_UP_PATH, deals, f"seed {FACE_UP_SEED}", document, began)


def first_hidden() -> dict[str, Any]:
    """Return the results of the first deals of the samples of Pai Gow Poker."""
    return {wheel: hidden_document(sample_hidden(FIRST, seed, wheel)) for wheel, seed in SEEDS.items()}


def first_face_up() -> dict[str, Any]:
    """Return the results of the first deals of the sample of Face Up Pai Gow Poker."""
    return face_up_document(sample_face_up(FIRST, FACE_UP_SEED))


def hidden_document(sample: Sample) -> dict[str, Any]:
    """Return a sample in the file's format."""
    return {
        "compared": dict(sorted(sample.compared.items())),
        "pairs": list(sample.pairs),
        "banks": {others: dict(sorted(ahead.items())) for others, ahead in sample.banks.items()},
        "bank_pairs": {others: list(moments) for others, moments in sample.bank_pairs.items()},
    }


def face_up_document(sample: FaceUpSample) -> dict[str, Any]:
    """Return a sample in the file's format."""
    return {"ended": dict(sorted(sample.ended.items())), "pairs": list(sample.pairs)}


def _texts(
    name: str, path: str, deals: int, seeds: str, document: Mapping[str, Any], began: float
) -> Mapping[str, str]:
    provenance = Provenance(
        what=f"seeded deals of seven hands each ({seeds}), each hand compared with each other; then the first {FIRST}",
        name=name,
        deals=deals,
        counter=f"shared/counting/pai_gow.py, version {VERSION}",
        seconds=round(monotonic() - began),
    )
    return {
        path: provenance.text() + yaml.safe_dump(dict(document), default_flow_style=None, sort_keys=False, width=120)
    }
