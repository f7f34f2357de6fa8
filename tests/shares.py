"""Large comparisons come in shares: the first is part of `make test`, all of them of `make test-long`."""

import pytest

SHARES = [0, *(pytest.param(share, marks=pytest.mark.long) for share in (1, 2, 3))]
