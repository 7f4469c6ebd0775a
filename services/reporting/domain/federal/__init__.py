"""What federal law has reported of winnings and of currency: pure functions of the pack that says so."""
