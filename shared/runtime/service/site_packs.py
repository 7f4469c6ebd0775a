"""The jurisdiction packs that an installation adds to the packs of the release."""

from shared.jurisdictions import PackWrong, keep_own_packs_in
from shared.runtime.errors import FatalServiceError
from shared.runtime.settings import Settings


def load_site_packs(settings: Settings) -> None:
    """Load the jurisdiction packs in the configured folder, if any.

    Raises: FatalServiceError if a pack is invalid.
    """
    try:
        keep_own_packs_in(settings.jurisdictions)
    except (PackWrong, OSError) as error:
        raise FatalServiceError(f"PITLEDGER_JURISDICTIONS: {error}") from error
