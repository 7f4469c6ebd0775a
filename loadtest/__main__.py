"""`python -m loadtest`: measure settlement alone, then end to end. Arguments: see `loadtest.bench.throughput`."""

import sys

from loadtest.bench import settle_benchmark, throughput

if __name__ == "__main__":
    if not throughput.options_of().json:
        sys.stdout.write(
            f"Full rounds, decoded and settled alone:\n\n{settle_benchmark.measure_all()}\nEnd to end:\n\n"
        )
        sys.stdout.flush()
    sys.exit(throughput.main())
