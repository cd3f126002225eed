"""Tests of kernels need Numba, which is an extra: without it they are not collected."""

import importlib.util

collect_ignore_glob = [] if importlib.util.find_spec("numba") else ["test_*.py"]
