"""Settings for all tests."""

import os

import numpy as np
from hypothesis import HealthCheck, settings

from simkit.jit import PLAIN

if PLAIN:
    np.seterr(over="ignore")  # random words wrap around; compiled code says nothing of it

# A kernel's first call compiles, so no deadline; the same examples every time, so that no test is flaky.
settings.register_profile(
    "simkit", deadline=None, derandomize=True, database=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "simkit"))
