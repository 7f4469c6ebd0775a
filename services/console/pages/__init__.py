"""The pages of the console, one module for what people come for."""
