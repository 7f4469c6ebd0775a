"""What a pool is, what moves it, and how its books agree. Pure; exact amounts are nanocents."""
