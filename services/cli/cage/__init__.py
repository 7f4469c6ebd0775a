"""Commands of cage and credit: credit lines, counter checks, the contents of the cage's locations."""
