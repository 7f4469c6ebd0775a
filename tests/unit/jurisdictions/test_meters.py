"""Least amounts of meters: a pack answers from the regulations that it covers, and from no other."""

import pytest

from shared.jurisdictions import LeastReset, gaming_pack, least_reset


@pytest.mark.parametrize(
    ("regulation", "meter", "expected"),
    [
        ("pa-633a-2024", "hit_and_run_progressive", LeastReset(100_000, "§ 633a.13(l)(2)")),
        ("pa-647a", "five_card_hand_bonus", LeastReset(1_000_000, "§ 647a.12(e)(4)")),
        ("pa-688a", "progressive_payout", LeastReset(100_000, "§ 688a.12(d)")),
        ("pa-633a-2024", "match_the_dealer", None),
    ],
)
def test_the_least_amount_is_that_of_the_regulation(regulation: str, meter: str, expected: LeastReset | None) -> None:
    """With its paragraph, whether the licensee selects the amount or each paytable fixes one; none without a meter."""
    assert expected == least_reset(gaming_pack("us-pa"), regulation, meter)


def test_a_pack_does_not_answer_for_what_it_does_not_cover() -> None:
    """The regulation of another state, or a meter that nobody knows, is an error and not the absence of a limit."""
    with pytest.raises(LookupError, match="'ri-pai-gow' is not among those of Pennsylvania, pa-"):
        least_reset(gaming_pack("us-pa"), "ri-pai-gow", "progressive_payout")
    with pytest.raises(LookupError, match="pa-687a has no meter 'lost_chips'"):
        least_reset(gaming_pack("us-pa"), "pa-687a", "lost_chips")
