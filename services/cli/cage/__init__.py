"""Commands of cage and credit: credit lines, counter checks, what lies where."""
