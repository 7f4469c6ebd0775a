"""A table's gaming day, played beside the service by a reference that knows only where the chips are.

It stands beside `tests/property` for what it is: a small simulation. `acts` is what people do in a pit, as a script can
write it down. `books` takes the acts by the functions that the service takes them by, in the order in which they are
reported, and states wins as the service does. `reference` follows the chips through the places where they are, in the
order in which they moved, and knows nothing of the service. `comparing` holds the one against the other. A script on
which they once differed is a golden day (`tests/golden/days`).
"""
