"""Hold variances: the report, the variance by each legal method, and investigations."""
