"""Shift and pit summaries: the sheet of each pit and shift, as pits print it."""
