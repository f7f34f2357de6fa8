"""The package says what is in it."""

import pkgutil
import re

from simkit import stats


def test_the_list_of_modules_names_all():
    listed = re.findall(r"^    (\w+) {2,}\S", stats.__doc__, re.MULTILINE)

    assert sorted(listed) == sorted(module.name for module in pkgutil.iter_modules(stats.__path__))
