"""With which samples do the conformance tests run? With all, or with one family's where its file is named.

``pytest tests/rules/samples_scipy_linalg.py`` runs them with the samples of that file alone.
"""

import importlib
import pathlib
import sys
import types

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).parent))

from sample import all_samples, name, samples_of

# The tests that each sample of a rule has to pass, by their files.
CONFORMANCE = {
    "test_direct": ["test_rule"],
    "test_conformance": ["test_adjoints", "test_float32_stays"],
    "test_lengths": ["test_lengths"],
    "test_tangents": ["test_tangents"],
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    takes = getattr(metafunc.function, "takes", None)
    if takes is None:
        return
    family = hasattr(metafunc.module, "FAMILY")
    apart = family or metafunc.definition.get_closest_marker("drawn") is not None
    cases = []
    for fn, entries in (metafunc.module.FAMILY if family else all_samples()).items():
        taken = [(f"{name(fn)}-{i}", [sample]) for i, sample in enumerate(entries) if takes(fn, sample)]
        if apart:
            cases += [pytest.param(fn, [case], id=case[0]) for case in taken]
        elif taken:
            cases.append(pytest.param(fn, taken, id=name(fn)))
    metafunc.parametrize(("fn", "samples"), cases)


def pytest_pycollect_makemodule(module_path: pathlib.Path, parent: pytest.Collector) -> pytest.Module | None:
    """A file of samples has the conformance tests of its family. It is collected only where it is named."""
    if not module_path.name.startswith("samples_"):
        return None
    family = types.ModuleType(module_path.stem)
    family.FAMILY = samples_of(module_path.stem)  # type: ignore[attr-defined]
    for module, tests in CONFORMANCE.items():
        for test in tests:
            setattr(family, test, getattr(importlib.import_module(module), test))
    made = pytest.Module.from_parent(parent, path=module_path)
    made.obj = family
    return made
