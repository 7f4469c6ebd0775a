"""`pitledger spark`: questions and what-ifs over years of archived days, on one machine or a cluster."""
