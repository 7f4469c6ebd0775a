"""Commands of the pit, the cage, the count room, revenue audit and the controller."""
