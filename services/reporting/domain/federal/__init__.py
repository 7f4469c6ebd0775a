"""Federal reporting of winnings and currency: pure functions of the jurisdiction pack."""
