"""What does an expression on tensors show: shape, strides, dtype, history, values, gradients, or an error?

`python -m tests.eager.observed` records it anew with PyTorch, which nothing else here needs.
"""

import functools
import json
import math
import warnings
from pathlib import Path

import numpy as np

FOLDER = Path(__file__).parent / "recorded"


def observe(module, expression):
    """What ``expression`` gives, as data.

    ``X(2, 3)`` is a tensor 1, 2, ...; ``L`` the same as a leaf, ``V(1, 2)`` a leaf of these numbers;
    ``saved`` is what a node shows.
    """
    leaves = []

    def plain(*shape, d="float64"):
        numbers = np.arange(1.0, math.prod(shape) + 1.0).reshape(shape)
        if d.startswith("complex"):
            numbers = numbers * (1 + 1j)
        return module.tensor(numbers, dtype=getattr(module, d))

    def leaf(*shape, d="float64"):
        leaves.append(plain(*shape, d=d).requires_grad_())
        return leaves[-1]

    def values(*numbers, d="float64"):
        leaves.append(module.tensor(numbers, dtype=getattr(module, d)).requires_grad_())
        return leaves[-1]

    def after(t, *changes):
        """``t`` after statements that use it as ``x``."""
        for change in changes:
            exec(change, {**names, "x": t})
        return t

    names = {"torch": module, "F": module.nn.functional, "np": np, "X": plain, "L": leaf, "V": values}
    names |= {"after": after, "saved": saved}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = eval(expression, names)
            several = found if isinstance(found, tuple | list) else (found,)
            shown = [_shown(module, each) for each in several]
            grads = _gradients(module, several, leaves)
        except Exception as error:
            return {"error": type(error).__name__, "text": str(error).splitlines()[0]}
    return {"shown": shown, "grads": grads}


def saved(t, *names):
    return [getattr(t.grad_fn, f"_saved_{name}") for name in names]


def _shown(module, t):
    if not isinstance(t, module.Tensor):
        return str(t)
    return {
        "shape": list(t.shape),
        "stride": list(t.stride()),
        "dtype": str(t.dtype),
        "node": type(t.grad_fn).__name__,
        "view": t._is_view(),
        "values": _numbers(t),
    }


def _numbers(t):
    flat = t.detach().resolve_conj().numpy().reshape(-1)
    return [[v.real, v.imag] if isinstance(v, complex) else v for v in flat.tolist()]


def _gradients(module, several, leaves):
    """The gradients of a weighted sum of all that can have one."""
    total = None
    for t in several:
        if isinstance(t, module.Tensor) and t.requires_grad:
            weights = module.arange(1.0, 1.0 + t.numel(), dtype=module.float64).reshape(t.shape)
            part = (t * weights).sum()
            part = (part.real if part.is_complex() else part).double()
            total = part if total is None else total + part
    if total is None or not leaves:
        return []
    found = module.autograd.grad(total, leaves, allow_unused=True)
    return [None if g is None else _numbers(g) for g in found]


def agree(got, expected, rounding=1e-8):
    """Whether two observations are the same, numbers up to rounding."""
    if isinstance(expected, dict):
        return (
            isinstance(got, dict)
            and got.keys() == expected.keys()
            and all(agree(got[k], expected[k], rounding) for k in expected)
        )
    if isinstance(expected, list):
        return (
            isinstance(got, list)
            and len(got) == len(expected)
            and all(agree(a, b, rounding) for a, b in zip(got, expected, strict=True))
        )
    if isinstance(expected, float) and isinstance(got, float):
        both_nan = math.isnan(got) and math.isnan(expected)
        return both_nan or math.isclose(got, expected, rel_tol=rounding, abs_tol=rounding / 10)
    return got == expected


REFUSALS = {
    "RuntimeError", "IndexError", "TypeError", "ValueError", "NotImplementedError", "LinAlgError",
    "_LinAlgError", "MissingRuleError", "NoDerivativeError", "UnsupportedError", "AxisError",
}  # fmt: skip


def alike(got, expected, rounding=None):
    """Whether two observations have the same shapes, dtypes, values and gradients, or are both refusals."""
    if "error" in expected:
        return got.get("error", "") in REFUSALS
    if "error" in got or len(got["shown"]) != len(expected["shown"]):
        return False
    pairs = zip(got["shown"], expected["shown"], strict=True)
    shown = [(_essence(a), _essence(b)) for a, b in pairs]
    single = any(isinstance(t, dict) and t["dtype"][-2:] != "64" for t in expected["shown"])
    single = single or "complex64" in str(expected["shown"])
    rounding = rounding or (1e-5 if single else 1e-8)
    agreed = all(agree(a, b, rounding) for a, b in shown)
    return agreed and _gradients_agree(got["grads"], expected["grads"], rounding)


def _essence(shown):
    return {k: shown[k] for k in ("shape", "dtype", "values")} if isinstance(shown, dict) else shown


def _gradients_agree(got, expected, rounding):
    """As ``agree``; no gradient is a gradient of zeros."""
    if not got or not expected:
        return not any(any(g or ()) for g in (got or expected))
    return len(got) == len(expected) and all(
        not any(b or ()) if a is None else not any(a) if b is None else agree(a, b, rounding)
        for a, b in zip(got, expected, strict=True)
    )


@functools.cache
def recorded(name):
    """The cases of a file: expression -> what PyTorch 2.13 shows."""
    return json.loads((FOLDER / f"{name}.json").read_text())


def record(name, expressions):
    """Write the file of these expressions, with PyTorch."""
    import torch

    lines = [f"{json.dumps(e)}: {json.dumps(observe(torch, e))}" for e in expressions]
    (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")


if __name__ == "__main__":
    for path in sorted(FOLDER.glob("*.txt")):
        record(path.stem, [line for line in path.read_text().splitlines() if line])
