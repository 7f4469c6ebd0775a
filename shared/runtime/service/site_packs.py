"""The jurisdiction packs of an installation, besides those of the release."""

from shared.jurisdictions import PackWrong, keep_own_packs_in
from shared.runtime.errors import FatalServiceError
from shared.runtime.settings import Settings


def load_site_packs(settings: Settings) -> None:
    """Take the packs of the folder that the settings name, if any.

    Raises: FatalServiceError where one of them is wrong.
    """
    try:
        keep_own_packs_in(settings.jurisdictions)
    except (PackWrong, OSError) as error:
        raise FatalServiceError(f"PITLEDGER_JURISDICTIONS: {error}") from error
