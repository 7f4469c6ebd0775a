"""Measurements of a running stack or a part of it, with figures and a verdict on the books."""
