"""The asserts of what the fault tests share say what they compare."""

import pytest

pytest.register_assert_rewrite("tests.faults.books", "tests.faults.stage")
