"""Measurements of a running stack or a part of it, each with a verdict on whether the books are correct."""
