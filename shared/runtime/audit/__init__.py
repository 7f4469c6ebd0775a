"""The journal under audit: verified, signed, witnessed, and never behind what is known outside of its database."""
