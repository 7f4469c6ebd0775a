"""Twelve attacks on a running stack, from outside, each of which once got through: `python -m tests.attacks`."""
