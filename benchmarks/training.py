"""Which networks are trained? Each one with its data and its loss, for PyTorch and for ``ast_ad`` alike.

Nothing here imports either library: every function takes it as ``torch``, and numbers come from NumPy, so
that both train the same network on the same data from the same weights.
"""

from __future__ import annotations

import pathlib
import types
from collections.abc import Callable
from typing import Any

import numpy as np

ROOT = pathlib.Path(__file__).parent.parent
Torch = Any


class Task:
    """A model, a batch, and the loss of the model on it.

    >>> import ast_ad
    >>> task = mlp(ast_ad, "float64", batch=4, sizes=(3, 5, 2))
    >>> task.loss().shape
    ()
    """

    def __init__(self, torch: Torch, model: Any, loss: Callable[..., Any], *batch: Any) -> None:
        self.torch, self.model, self.batch, self.of_batch = torch, model, batch, loss

    def loss(self) -> Any:
        return self.of_batch(*self.batch)

    def parameters(self) -> dict[str, np.ndarray]:
        return {name: p.detach().numpy().copy() for name, p in self.model.named_parameters()}


def filled(torch: Torch, model: Any, dtype: str, seed: int = 0) -> Any:
    """The model with parameters that follow from ``seed`` and their names' order alone."""
    draw = np.random.default_rng(seed)
    model.to(getattr(torch, dtype))
    with torch.no_grad():
        for name, p in model.named_parameters():
            spread = 1.0 / max(1.0, np.prod(p.shape[1:])) ** 0.5
            values = draw.normal(size=tuple(p.shape)) * (spread if p.ndim > 1 else 0.1)
            if p.ndim == 1 and name.endswith("weight"):
                values += 1.0  # of a normalisation
            p.copy_(torch.tensor(values.astype(dtype)))
    return model


def arrays(torch: Torch, dtype: str, *shapes: tuple[int, ...], seed: int = 1) -> list[Any]:
    draw = np.random.default_rng(seed)
    return [torch.tensor(draw.normal(size=shape).astype(dtype)) for shape in shapes]


def labels(torch: Torch, classes: int, *shape: int, seed: int = 2) -> Any:
    return torch.tensor(np.random.default_rng(seed).integers(0, classes, shape))


def resnet_module(torch: Torch) -> types.ModuleType:
    """``examples/resnet18.py``, with ``torch`` in the place of ``ast_ad``: the text is the same."""
    path = ROOT / "examples" / "resnet18.py"
    text = path.read_text().replace("import ast_ad as torch\n", "")
    module = types.ModuleType("resnet18")
    module.torch = torch  # type: ignore[attr-defined]
    exec(compile(text, str(path), "exec"), module.__dict__)
    return module


def resnet18(torch: Torch, dtype: str = "float32", batch: int = 8, size: int = 64, width: int = 64) -> Task:
    """Image classification by a ResNet-18, in training mode; ``width=64`` is the published one."""
    module = resnet_module(torch)
    classes = 1000 if width == 64 else 10
    model = module.ResNet(module.BasicBlock, [2, 2, 2, 2], classes, width)
    filled(torch, model, dtype)
    (x,) = arrays(torch, dtype, (batch, 3, size, size))
    y = labels(torch, classes, batch)
    return Task(torch, model, lambda x, y: torch.nn.functional.cross_entropy(model(x), y), x, y)


def mlp(
    torch: Torch, dtype: str = "float32", batch: int = 128, sizes: tuple[int, ...] = (784, 256, 10)
) -> Task:
    """Classification by linear layers with ReLU between them."""
    nn = torch.nn
    layers: list[Any] = []
    for a, b in zip(sizes, sizes[1:], strict=False):
        layers += [nn.Linear(a, b), nn.ReLU()]
    model = filled(torch, nn.Sequential(*layers[:-1]), dtype)
    (x,) = arrays(torch, dtype, (batch, sizes[0]))
    y = labels(torch, sizes[-1], batch)
    return Task(torch, model, lambda x, y: nn.functional.cross_entropy(model(x), y), x, y)


def small_conv_net(torch: Torch, dtype: str = "float32", batch: int = 32, size: int = 28) -> Task:
    """Two convolutions with max pooling, then two linear layers: LeNet's descendants on MNIST's format."""
    nn = torch.nn
    left = ((size - 2) // 2 - 2) // 2
    model = nn.Sequential(
        nn.Conv2d(1, 16, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * left * left, 64),
        nn.ReLU(),
        nn.Linear(64, 10),
    )
    filled(torch, model, dtype)
    (x,) = arrays(torch, dtype, (batch, 1, size, size))
    y = labels(torch, 10, batch)
    return Task(torch, model, lambda x, y: nn.functional.cross_entropy(model(x), y), x, y)


def lstm(torch: Torch, dtype: str = "float32", batch: int = 16, steps: int = 32, hidden: int = 64) -> Task:
    """A sequence of vectors, read by an LSTM of two layers, and a target for each of its steps."""
    nn = torch.nn

    class Reader(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.lstm = nn.LSTM(hidden // 2, hidden, num_layers=2, batch_first=True)
            self.head = nn.Linear(hidden, 3)

        def forward(self, x: Any) -> Any:
            return self.head(self.lstm(x)[0])

    model = filled(torch, Reader(), dtype)
    x, y = arrays(torch, dtype, (batch, steps, hidden // 2), (batch, steps, 3))
    return Task(torch, model, lambda x, y: nn.functional.mse_loss(model(x), y), x, y)


def transformer(
    torch: Torch, dtype: str = "float32", batch: int = 16, steps: int = 32, width: int = 64
) -> Task:
    """The next token of each place of a sequence, by one encoder layer with a causal mask."""
    nn = torch.nn
    tokens = 20

    class Model(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(tokens, width)
            self.block = nn.TransformerEncoderLayer(width, 4, 4 * width, dropout=0.0, batch_first=True)
            self.head = nn.Linear(width, tokens)

        def forward(self, x: Any) -> Any:
            causal = torch.triu(
                torch.full((x.shape[1], x.shape[1]), -torch.inf, dtype=getattr(torch, dtype)), 1
            )
            return self.head(self.block(self.embedding(x), src_mask=causal))

    model = filled(torch, Model(), dtype)
    x, y = labels(torch, tokens, batch, steps), labels(torch, tokens, batch, steps, seed=3)

    def loss(x: Any, y: Any) -> Any:
        return nn.functional.cross_entropy(model(x).reshape(-1, tokens), y.reshape(-1))

    return Task(torch, model, loss, x, y)


TASKS: dict[str, Callable[..., Task]] = {
    "ResNet-18": resnet18,
    "MLP": mlp,
    "small conv net": small_conv_net,
    "LSTM": lstm,
    "transformer block": transformer,
}
