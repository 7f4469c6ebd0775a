"""What takes long: each part of `make nightly` with its bound, run in turn, and its result on one page."""
