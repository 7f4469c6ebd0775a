"""An entry of every kind of suspicious activity reports, as it would be published, which it is not."""

from datetime import datetime
from typing import Any

from tests.support.published import published

_NOW = "2026-11-20T12:00:00+00:00"
_SAR = {"property": "riverside", "sar": 1, "by": "sar.ana"}
_FACTS: dict[str, dict[str, Any]] = {
    "sar.prepared": {
        **_SAR,
        "subject": "p-1",
        "is_subject_known": True,
        "detected_on": "2026-11-20",
        "file_by": "2026-12-20",
        "first_day": "2026-11-18",
        "last_day": "2026-11-20",
        "dollars": 28_800,
        "continues": "31000000000001",
        "content_sha256": "5" * 64,
        "content_bytes": 7000,
    },
    "sar.released": {
        **_SAR,
        "by": "sar.off",
        "prepared_by": "sar.ana",
        "content_sha256": "5" * 64,
        "subject_sha256": "6" * 64,
    },
    "sar.filed": {**_SAR, "filed_at": _NOW, "tracking_id": "260000000001"},
    "sar.acknowledged": {**_SAR, "bsa_id": "31000000000009", "errors": [{"code": "C21", "is_warning": True}]},
    "sar.withdrawn": {**_SAR, "reason": "the play explains it"},
    "sar.destroyed": _SAR,
    "sar.seen": {**_SAR, "what": "file", "at": _NOW},
}
SUSPICIONS = {
    kind: published(kind, data, service="suspicious-activity", sequence=1, at=datetime.fromisoformat(_NOW))
    for kind, data in _FACTS.items()
}
