"""Rankings of poker hands: a hand's rank is a whole number, higher is better, equal is an exact tie."""

from shared.cards.ranking.standard import Category, best_five, category_of, rank_best, rank_five

__all__ = ["Category", "best_five", "category_of", "rank_best", "rank_five"]
