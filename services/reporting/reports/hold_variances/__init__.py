"""Hold variances: the report, the variance as law defines it, and investigations."""
