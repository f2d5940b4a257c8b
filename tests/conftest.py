"""Random examples vary from run to run at a desk, and are the same every time where CI is set, so that a run can be repeated."""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("repeatable", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("repeatable")
