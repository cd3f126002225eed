"""Do random programs of views, in-place writes and reads have the right gradients?

A program is a list of steps on a growing pool of arrays that share memory with each other. It is drawn while
it runs on NumPy arrays; it runs on tensors, and on NumPy arrays with a complex step for the gradient to
compare with.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

SHAPES = ((3, 4), (4,), (2, 3, 2), ())
STEP = 1e-30
Program = list[tuple[str, int, Any]]


def sin(x: Any) -> Any:
    return np.sin(x) if isinstance(x, np.ndarray) else x.sin()


def cat(parts: Any, module: Any) -> Any:
    return module.concatenate(parts) if module is np else module.cat(parts)


def permuted(x: Any, order: Any) -> Any:
    return x.transpose(order) if isinstance(x, np.ndarray) else x.permute(order)


def expanded(x: Any, shape: Any) -> Any:
    return np.broadcast_to(x, shape) if isinstance(x, np.ndarray) else x.expand(shape)


def windows(x: Any, size: int) -> Any:
    if isinstance(x, np.ndarray):
        return np.lib.stride_tricks.sliding_window_view(x, size, 0)
    return x.unfold(0, size, 1)


def diagonal(x: Any, k: int) -> Any:
    found = x.diagonal(k)
    if isinstance(x, np.ndarray):
        found.flags.writeable = x.flags.writeable
    return found


def at(x: Any, i: Any) -> Any:
    """``x[i]``, of NumPy arrays also a view where it is a number."""
    if isinstance(x, np.ndarray) and not isinstance(i, (list, np.ndarray)):
        return x[(*i, ...) if isinstance(i, tuple) else (i, ...)]
    return x[i]


def piece(x: Any, how: tuple[str, int]) -> Any:
    name, i = how
    if isinstance(x, np.ndarray):
        return at(x, i) if name == "unbind" else halves(x)[i]
    return x.unbind(0)[i] if name == "unbind" else x.split(2)[i]


def halves(x: Any) -> list[Any]:
    return [x[i : i + 2] for i in range(0, len(x), 2)]


# Steps that look: (array, argument) -> a view or, where strides don't allow it, a copy.
LOOKS: dict[str, Callable[[Any, Any], Any]] = {
    "at": at,
    "permute": permuted,
    "expand": expanded,
    "reshape": lambda x, shape: x.reshape(shape),
    "T": lambda x, _: x.T,
    "diagonal": diagonal,
    "unsqueeze": lambda x, axis: np.expand_dims(x, axis) if isinstance(x, np.ndarray) else x.unsqueeze(axis),
    "squeeze": lambda x, _: x.squeeze(),
    "windows": windows,
    "piece": piece,
}
# Steps that write: (array, value, argument), in place.
WRITES: dict[str, Callable[[Any, Any, Any], Any]] = {
    "add_": lambda x, v, _: _into(x, x + v) if isinstance(x, np.ndarray) else x.add_(v),
    "mul_": lambda x, v, _: _into(x, x * v) if isinstance(x, np.ndarray) else x.mul_(v.clone()),
    "copy_": lambda x, v, _: _into(x, v) if isinstance(x, np.ndarray) else x.copy_(v),
    "scale_": lambda x, v, c: _into(x, x * c) if isinstance(x, np.ndarray) else x.mul_(c),
    "zero_": lambda x, v, _: _into(x, 0.0) if isinstance(x, np.ndarray) else x.zero_(),
    "fill_": lambda x, v, c: _into(x, c) if isinstance(x, np.ndarray) else x.fill_(c),
    "neg_": lambda x, v, _: _into(x, -x) if isinstance(x, np.ndarray) else x.neg_(),
    "sin_": lambda x, v, _: _into(x, np.sin(x)) if isinstance(x, np.ndarray) else x.sin_(),
    "set": lambda x, v, i: _set(x, i, v),
    "set number": lambda x, v, i: _set(x, i[0], i[1]),
    "iadd at": lambda x, v, i: _set(x, i, at(x, i) + v),
}
# Steps that compute something new.
READS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "pick": lambda x, v, i: at(x, i),
    "product": lambda x, v, _: _copy(x) * _copy(v),
    "sum": lambda x, v, _: x + v,
    "sin": lambda x, v, _: sin(_copy(x)),
    "total": lambda x, v, _: x.sum(0),
    "clone": lambda x, v, _: _copy(x),
    "raw product": lambda x, v, _: x * v,
}


def _copy(x: Any) -> Any:
    return x.copy() if isinstance(x, np.ndarray) else x.clone()


def _into(x: Any, value: Any) -> None:
    if not x.flags.writeable:
        raise ValueError("read-only")
    x[...] = value


def _set(x: Any, i: Any, value: Any) -> None:
    if isinstance(x, np.ndarray):
        _into_at(x, i, value)
    else:
        x[i] = value


def _into_at(x: Any, i: Any, value: Any) -> None:
    if not x.flags.writeable:
        raise ValueError("read-only")
    x[i] = value


# ----- drawing


def _basic(rng: random.Random, shape: tuple[int, ...]) -> Any:
    """A basic index into an array of this shape."""
    parts: list[Any] = []
    for n in shape[: rng.randint(1, len(shape))]:
        kind = rng.random()
        if kind < 0.4:
            parts.append(rng.randrange(-n, n))
        elif kind < 0.9:
            start = rng.randrange(0, n)
            parts.append(slice(start, rng.randint(start + 1, n), rng.choice([None, 1, 2])))
        else:
            parts.append(slice(None))
    if rng.random() < 0.1:
        parts.insert(rng.randint(0, len(parts)), None)
    return tuple(parts) if len(parts) > 1 or rng.random() < 0.5 else parts[0]


def _picking(rng: random.Random, shape: tuple[int, ...], twice: bool) -> Any:
    """An index that holds a list; ``twice``: it may name an element twice."""
    n = shape[0]
    k = rng.randint(1, n)
    return [rng.randrange(n) for _ in range(k)] if twice else rng.sample(range(n), k)


def _look(rng: random.Random, x: Any) -> tuple[str, Any] | None:
    name = rng.choice(["at"] * 5 + list(LOOKS))
    shape = x.shape
    if name == "at" and x.ndim:
        return name, _basic(rng, shape)
    if name == "permute":
        return name, tuple(rng.sample(range(x.ndim), x.ndim))
    if name == "expand":
        wide = tuple(rng.randint(2, 3) if n == 1 else n for n in shape)
        return name, (rng.randint(1, 2), *wide) if rng.random() < 0.7 else wide
    if name == "reshape":
        return name, rng.choice([(-1,), (x.size,), (1, -1), (-1, shape[-1] if shape else 1)])
    if name == "unsqueeze":
        return name, rng.randint(0, x.ndim)
    if name == "windows" and x.ndim and shape[0] > 1:
        return name, 2
    if name == "diagonal" and x.ndim == 2:
        return name, rng.randint(0, shape[1] - 1)
    if name == "piece" and x.ndim:
        if rng.random() < 0.5:
            return name, ("unbind", rng.randrange(shape[0]))
        return name, ("split", rng.randrange(-(-shape[0] // 2)))
    return (name, None) if name in ("T", "squeeze") and x.ndim != 1 else None


def _fitting(rng: random.Random, pool: list[Any], shape: tuple[int, ...]) -> int | None:
    """The number of an array that broadcasts to ``shape``."""

    def fits(own: tuple[int, ...]) -> bool:
        return (
            len(own) <= len(shape) and np.broadcast_shapes(own, shape) == shape
            if _agree(own, shape)
            else False
        )

    found = [i for i, p in enumerate(pool) if fits(p.shape)]
    return rng.choice(found) if found else None


def _agree(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(n == m or 1 in (n, m) for n, m in zip(reversed(a), reversed(b), strict=False))


def _write(rng: random.Random, pool: list[Any], k: int) -> tuple[str, Any] | None:
    x = pool[k]
    name = rng.choice(list(WRITES) + ["set"] * 3)
    if not name.startswith(("set", "iadd")):
        v = _fitting(rng, pool, x.shape)
        return None if v is None else (name, (v, rng.choice([0.5, -1.5, 2.0])))
    if x.ndim == 0:
        return None
    picked = rng.random() < 0.35
    i = _picking(rng, x.shape, False) if picked else _basic(rng, x.shape)
    if name == "set number":
        return name, (k, (i, rng.choice([0.0, 1.5])))
    v = _fitting(rng, pool, at(x, i).shape)
    return None if v is None else (name, (v, i))


def _read(rng: random.Random, pool: list[Any], k: int) -> tuple[str, Any] | None:
    x = pool[k]
    name = rng.choice(list(READS))
    if name == "pick":
        return (name, (k, _picking(rng, x.shape, True))) if x.ndim else None
    if name == "total" and not x.ndim:
        return None
    v = _fitting(rng, pool, x.shape)
    return None if v is None else (name, (v, None))


def draw(seed: int, length: int = 9) -> Program:
    """A program that NumPy can run."""
    rng = random.Random(seed)
    pool = start(inputs(seed), np)
    program: Program = []
    while len(program) < length:
        k = rng.randrange(len(pool))
        kind = rng.random()
        if kind < 0.45:
            step = _look(rng, pool[k])
        elif kind < 0.85:
            step = _write(rng, pool, k)
        else:
            step = _read(rng, pool, k)
        if step is None or pool[k].size > 60:
            continue
        try:
            perform((step[0], k, step[1]), pool)
        except (ValueError, IndexError):
            continue
        program.append((step[0], k, step[1]))
    return program


# ----- running


def inputs(seed: int) -> list[np.ndarray]:
    numbers = np.random.default_rng(seed)
    return [numbers.uniform(-1, 1, shape) for shape in SHAPES]


def start(values: list[Any], module: Any) -> list[Any]:
    """The first pool: something computed from each input, and constants."""
    if module is np:
        return [np.asarray(v * 2.0) for v in values] + [
            np.zeros((3, 4), values[0].dtype),
            np.ones(2, values[0].dtype),
        ]
    constants = [module.zeros(3, 4, dtype=module.float64), module.ones(2, dtype=module.float64)]
    return [v * 2.0 for v in values] + constants


def perform(step: tuple[str, int, Any], pool: list[Any]) -> None:
    name, k, argument = step
    if name in LOOKS:
        pool.append(_array(LOOKS[name](pool[k], argument)))
    elif name in WRITES:
        WRITES[name](pool[k], pool[argument[0]], argument[1])
    else:
        pool.append(_array(READS[name](pool[k], pool[argument[0]], argument[1])))


def _array(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, np.generic) else x


def loss(program: Program, values: list[Any], module: Any) -> Any:
    """A number that depends on all that the program has left."""
    pool = start(values, module)
    for step in program:
        perform(step, pool)
    total = 0.0
    for i, p in enumerate(pool):
        total = total + (p * p * (0.3 + 0.1 * i)).sum() + p.sum() * (1.0 - 0.2 * i)
    return total


def exact_gradients(program: Program, values: list[np.ndarray]) -> list[np.ndarray]:
    """The gradients of ``loss`` by a complex step for each element."""
    found = []
    for k, value in enumerate(values):
        gradient = np.zeros(value.shape)
        for place in np.ndindex(value.shape):
            moved = [v.astype(complex) for v in values]
            moved[k][place] += 1j * STEP
            gradient[place] = loss(program, moved, np).imag / STEP
        found.append(gradient)
    return found


def tensor_gradients(
    program: Program, values: list[np.ndarray], module: Any
) -> tuple[float, list[np.ndarray]]:
    """The loss and its gradients, by ``module``'s reverse sweep."""
    leaves = [module.tensor(v, dtype=module.float64).requires_grad_() for v in values]
    out = loss(program, leaves, module)
    grads = module.autograd.grad(out, leaves, allow_unused=True)
    return out.item(), [
        np.zeros(v.shape) if g is None else g.numpy() for v, g in zip(values, grads, strict=True)
    ]


def second_gradients(program: Program, values: list[np.ndarray], module: Any) -> list[np.ndarray]:
    """The gradients of the sum of the squared gradients."""
    leaves = [module.tensor(v, dtype=module.float64).requires_grad_() for v in values]
    out = loss(program, leaves, module)
    grads = module.autograd.grad(out, leaves, create_graph=True, allow_unused=True)
    again = sum((g * g).sum() for g in grads if g is not None)
    if not isinstance(again, module.Tensor) or not again.requires_grad:
        return [np.zeros(v.shape) for v in values]
    seconds = module.autograd.grad(again, leaves, allow_unused=True)
    return [np.zeros(v.shape) if g is None else g.numpy() for v, g in zip(values, seconds, strict=True)]


def check(seed: int, module: Any) -> str:
    """Whether a program's gradients are right: 'right', or the error that it ends with.

    Raises:
        AssertionError: they are wrong.
    """
    program, values = draw(seed), inputs(seed)
    try:
        value, grads = tensor_gradients(program, values, module)
    except RuntimeError as error:
        return str(error)
    expected = exact_gradients(program, values)
    np.testing.assert_allclose(value, loss(program, values, np), rtol=1e-12, atol=1e-12)
    for got, wanted in zip(grads, expected, strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-9, atol=1e-9, err_msg=f"seed {seed}: {program}")
    return "right"
