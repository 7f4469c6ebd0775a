"""The demonstration: a simulated gaming day through the real services, and its books."""
