"""What is assessed and owed, its money, and its report. Pure; amounts are cents."""
