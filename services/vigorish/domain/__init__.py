"""The vigorish assessed and owed, and its postings. Pure; amounts are cents."""
