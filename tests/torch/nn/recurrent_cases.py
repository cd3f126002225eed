"""Which recurrent networks are compared with PyTorch, and what of them?

``measured(torch, case)`` runs one of them with PyTorch or with this package in its place. Weights and inputs
come from NumPy, so that both compute the same; each array is described by a few numbers.
"""

from __future__ import annotations

import zlib
from typing import Any

import numpy as np

LENGTH, BATCH, FEATURES, SIZE = 4, 3, 3, 5
LENGTHS = [2, 4, 3]  # of packed sequences

CASES: dict[str, dict[str, Any]] = {
    f"{name}-{kind}": {"cls": name, **options}
    for name in ("LSTM", "GRU", "RNN")
    for kind, options in {
        "plain": {},
        "states": {"states": True},
        "deep": {"num_layers": 3, "states": True},
        "both": {"bidirectional": True, "num_layers": 2, "states": True},
        "first": {"batch_first": True, "states": True, "num_layers": 2},
        "bare": {"bias": False, "bidirectional": True},
        "unbatched": {"unbatched": True, "states": True, "bidirectional": True},
        "packed": {"packed": True, "num_layers": 2, "bidirectional": True},
        "packed-states": {"packed": True, "states": True, "bidirectional": True},
    }.items()
}
CASES |= {
    "LSTM-projected": {"cls": "LSTM", "proj_size": 2, "num_layers": 2, "states": True, "bidirectional": True},
    "LSTM-projected-bare": {"cls": "LSTM", "proj_size": 2, "bias": False},
    "LSTM-projected-packed": {"cls": "LSTM", "proj_size": 2, "packed": True, "bidirectional": True},
    "RNN-relu": {
        "cls": "RNN",
        "nonlinearity": "relu",
        "states": True,
        "bidirectional": True,
        "num_layers": 2,
    },
    "RNN-relu-packed": {"cls": "RNN", "nonlinearity": "relu", "packed": True},
    "LSTMCell": {"cls": "LSTMCell", "states": True},
    "LSTMCell-bare": {"cls": "LSTMCell", "bias": False},
    "LSTMCell-unbatched": {"cls": "LSTMCell", "states": True, "unbatched": True},
    "GRUCell": {"cls": "GRUCell", "states": True},
    "GRUCell-bare": {"cls": "GRUCell", "bias": False},
    "RNNCell": {"cls": "RNNCell", "states": True},
    "RNNCell-relu": {"cls": "RNNCell", "nonlinearity": "relu", "unbatched": True},
}


def numbers(name: str, shape: Any, scale: float = 1.0) -> np.ndarray:
    """Random numbers that depend on the name only."""
    state = np.random.RandomState(zlib.crc32(name.encode()))
    return state.uniform(-scale, scale, tuple(shape))


def described(array: np.ndarray) -> list[float]:
    """The sum and two contractions of an array."""
    flat = np.asarray(array, np.float64).ravel()
    places = np.arange(1, flat.size + 1)
    return [float(flat.sum()), float(flat @ np.cos(places)), float(flat @ np.sin(places**1.5))]


def fill(torch: Any, module: Any, scale: float = 0.7) -> None:
    """Give the parameters values that depend on their names only."""
    with torch.no_grad():
        for name, p in module.named_parameters():
            p.copy_(torch.tensor(numbers(name, p.shape, scale), dtype=p.dtype))


def leaf(torch: Any, name: str, *shape: int) -> Any:
    return torch.tensor(numbers(name, shape), dtype=torch.float64, requires_grad=True)


def states_of(torch: Any, module: Any, case: dict[str, Any], batch: Any) -> Any:
    if not case.get("states"):
        return None
    if case["cls"].endswith("Cell"):
        layers: tuple[int, ...] = ()
    else:
        layers = (module.num_layers * (2 if module.bidirectional else 1),)
    h = leaf(torch, "h", *layers, *batch, getattr(module, "proj_size", 0) or SIZE)
    return (h, leaf(torch, "c", *layers, *batch, SIZE)) if case["cls"].startswith("LSTM") else h


def inputs_of(torch: Any, case: dict[str, Any]) -> tuple[Any, Any, tuple[int, ...]]:
    """The leaf, what the network reads, and the shape of the batch."""
    if case.get("packed"):
        x = leaf(torch, "x", LENGTH, BATCH, FEATURES)
        pack = torch.nn.utils.rnn.pack_padded_sequence
        return x, pack(x, torch.tensor(LENGTHS), enforce_sorted=False), (BATCH,)
    batch = () if case.get("unbatched") else (BATCH,)
    if case["cls"].endswith("Cell"):
        shape = (*batch, FEATURES)
    else:
        shape = (*batch, LENGTH, FEATURES) if case.get("batch_first") else (LENGTH, *batch, FEATURES)
    x = leaf(torch, "x", *shape)
    return x, x, batch


def flat(found: Any) -> list[Any]:
    """All tensors in what a network returns."""
    if isinstance(found, tuple) and hasattr(found, "batch_sizes"):
        return [found.data]
    return [t for part in found for t in flat(part)] if isinstance(found, tuple) else [found]


def measured(torch: Any, case: dict[str, Any]) -> dict[str, list[float]]:
    """Outputs, gradients of inputs, states and weights, and those of the gradients' squares."""
    own = ("cls", "states", "packed", "unbatched")
    options = {k: v for k, v in case.items() if k not in own}
    module = getattr(torch.nn, case["cls"])(FEATURES, SIZE, **options).double()
    fill(torch, module)
    x, given, batch = inputs_of(torch, case)
    hx = states_of(torch, module, case, batch)
    outs = flat(module(given, hx))
    loss = sum(
        (out * torch.tensor(numbers(f"seed{i}", out.shape), dtype=out.dtype)).sum()
        for i, out in enumerate(outs)
    )
    leaves = {"x": x, **dict(module.named_parameters())}
    if hx is not None:
        leaves |= dict(zip("hc", hx if isinstance(hx, tuple) else (hx,)))
    first = torch.autograd.grad(loss, list(leaves.values()), create_graph=True)
    squares = sum((g * g).sum() for g in first)
    second = torch.autograd.grad(squares, list(leaves.values()), allow_unused=True)
    arrays = {f"out{i}": out for i, out in enumerate(outs)}
    arrays |= {f"grad {name}": g for name, g in zip(leaves, first, strict=True)}
    arrays |= {f"second {name}": g for name, g in zip(leaves, second, strict=True) if g is not None}
    return {name: described(t.detach().numpy()) for name, t in arrays.items()}
