"""Rankings of poker hands: a hand's rank is an integer; the higher rank wins, equal ranks tie exactly."""

from shared.cards.ranking.standard import Category, best_five, category_of, rank_best, rank_five

__all__ = ["Category", "best_five", "category_of", "rank_best", "rank_five"]
