"""Draw a round: the felt of its game with every card, chip and decision, and the journal evidence.

Uses no framework, no clock, and no I/O except reading the packaged words.yaml once.
"""

from services.console.felt.drawing import draw
from services.console.felt.page import RoundView, regulation_of, view_of
from services.console.felt.telling import describe

__all__ = ["RoundView", "describe", "draw", "regulation_of", "view_of"]
