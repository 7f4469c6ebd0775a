"""What people do at their desks: the pit, the cage, the count room, revenue audit, the controller."""
