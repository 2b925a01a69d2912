# SPDX-License-Identifier: MIT
"""What tests of errors share."""
import pytest


def refused(error, match, call):
    """Checks that call() raises `error` with a text in which `match` is found."""
    with pytest.raises(error, match=match):
        call()
