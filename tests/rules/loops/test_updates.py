"""Do the compiled loops of update rules do what their NumPy forms do? With all options, and not finite."""

import numpy as np
import pytest

from ast_ad.rules.loops import moment_updates, updates

pytest.importorskip("numba")

# The kernel, which of its arrays are there, and its numbers.
CASES = {
    "sgd": (updates.sgd, "gN", (0.1, 0.0, 1.0, 0.0, 0.2, 1.0)),
    "momentum": (updates.sgd, "gb", (0.1, 0.9, 0.7, 0.0, 0.2, -1.0)),
    "nesterov": (updates.sgd, "gb", (0.1, 0.9, 1.0, 0.9, 0.0, 1.0)),
    "averaged": (updates.averaged_sgd, "gb", (0.1, 0.9, 0.5, 0.2, 1.0)),
    "averages begin": (updates.averaged_sgd, "gb", (0.1, 0.9, 1.0, 0.0, -1.0)),
    "rprop": (updates.rprop, "gbv", (0.5, 1.2, 1e-2, 0.9, 1.0)),
    "adagrad": (updates.adagrad, "gv", (0.1, 1e-6, 0.1, 1.0)),
    "rmsprop": (updates.rmsprop, "gvNN", (0.1, 0.9, 0.1, 1e-6, 0.0, 0.1, 1.0)),
    "rmsprop with momentum": (updates.rmsprop, "gvNb", (0.1, 0.9, 0.1, 1e-6, 0.5, 0.0, -1.0)),
    "centered": (updates.rmsprop, "gvzb", (0.1, 0.9, 0.1, 1e-3, 0.5, 0.0, 1.0)),
    "adadelta": (updates.adadelta, "gvv", (0.1, 0.9, 0.1, 1e-6, 0.1, 1.0)),
    "adam": (moment_updates.adam, "gbvN", (0.1, 0.1, 0.9, 0.1, 0.5, 1e-6, 0.1, 1.0, 1.0)),
    "adamw": (moment_updates.adam, "gbvv", (0.1, 0.1, 0.9, 0.1, 0.5, 1e-6, 0.0, 0.9, -1.0)),
    "adamax": (moment_updates.adamax, "gbv", (0.1, 0.1, 0.9, 1e-6, 0.1, 1.0)),
    "nadam": (moment_updates.nadam, "gbv", (0.1, 0.05, 0.1, 0.9, 0.1, 0.5, 1e-6, 0.1, 0.9, 1.0)),
    "radam": (moment_updates.radam, "gbv", (0.1, 0.3, 0.1, 0.9, 0.1, 1e-6, 0.1, 0.9, 1.0)),
    "radam at first": (moment_updates.radam, "gbv", (0.1, 0.0, 0.1, 0.9, 0.1, 1e-6, 0.1, 0.9, 1.0)),
}


def arrays(kinds, dtype, broken):
    """The parameter, and what the letters stand for: v is not negative, z small, N not there."""
    rng = np.random.default_rng(5)
    made = [rng.standard_normal(1001).astype(dtype)]
    for kind in kinds:
        array = rng.standard_normal(1001).astype(dtype)
        array = {"v": np.abs(array) + 0.1, "z": 0.1 * array / (1 + abs(array))}.get(kind, array)
        made.append(None if kind == "N" else array.astype(dtype))
    if broken:
        for i, (array, kind) in enumerate(zip(made, "p" + kinds)):
            if array is not None:
                array[i * 5 : i * 5 + 3] = np.nan, np.inf, np.inf if kind == "v" else -np.inf
    return made


@pytest.mark.drawn(of=12)
@pytest.mark.parametrize("broken", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("name", CASES)
def test_forms_agree(name, dtype, broken):
    kernel, kinds, numbers = CASES[name]
    plain, loops = arrays(kinds, dtype, broken), arrays(kinds, dtype, broken)
    if kernel.compiled is None:
        kernel.compiled = kernel.compile()
    tolerance = 1e-12 if dtype == np.float64 else 2e-5
    with np.errstate(all="ignore"):
        for _ in range(3):
            kernel.plain(*plain, *numbers)
            kernel.compiled(*loops, *map(dtype, numbers))
    for a, b in zip(plain, loops):
        if a is not None:
            assert a.dtype == b.dtype == dtype
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance)
