"""The console: what people of the pit, of revenue audit and of operations look at and work with, in a browser."""
