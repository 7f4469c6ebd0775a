"""Shift and pit summaries: one sheet per pit and shift, as pits usually print them."""
