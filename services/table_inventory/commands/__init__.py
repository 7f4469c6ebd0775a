"""Commands at the desks: the pit, the cage, the count room, revenue audit, the controller."""
