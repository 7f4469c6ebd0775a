"""How often Python looks for objects that only know each other."""

import gc
from typing import Final

_THRESHOLDS: Final = (500_000, 20, 50)


def collect_seldom() -> None:
    """Have this process look for cycles between batches, not in the middle of one.

    A batch makes many objects and no cycles: whoever looks in the middle of it finds everything alive. With a threshold
    of 50,000 that took a tenth of the time of settling; a batch holds fewer objects than this, and frees them. Imports
    are the same: with the usual thresholds a fifth of the start of a command goes on looking.
    """
    gc.set_threshold(*_THRESHOLDS)
