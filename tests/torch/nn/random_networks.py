"""What is a random network? The source of a function ``net(p, x)`` of a dict of parameters and of data.

Each line is a layer or an operation with options drawn by a seed; the last one is a loss. The same source
runs on arrays, on tensors and in compiled functions.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np

import ast_ad.torch.nn.functional as F

HEADER = "import numpy as np\n\nimport ast_ad.nn.functional as F\n\n\ndef net(p, x):\n"
LARGEST = 600  # elements of an intermediate result
ACTIVATIONS = (
    "relu relu6 elu selu celu leaky_relu hardtanh hardswish hardsigmoid silu mish gelu sigmoid tanh softplus "
    "softsign tanhshrink hardshrink softshrink logsigmoid"
).split()


class Network:
    """The lines of one network, and its parameters."""

    def __init__(self, seed: int, rank: int | None = None) -> None:
        self.random, self.rng = random.Random(seed), np.random.default_rng(seed)
        rank = self.random.choice([0, 1, 1, 2, 2, 3]) if rank is None else rank
        self.channels = self.random.choice([2, 4, 6])
        self.pixels = tuple(self.random.randint(2, 6 - rank // 2) for _ in range(rank))
        self.lines: list[str] = []
        self.p: dict[str, Any] = {}
        self.x = self.data(3)
        self.lines.append(f"x = x * {self.parameter(self.channels, *[1] * rank)}")
        for _ in range(self.random.randint(2, 5)):
            self.grow()
        self.lines.append(f"return {self.loss()}")

    def data(self, samples: int) -> Any:
        return np.random.default_rng(samples).normal(size=(samples, self.channels, *self.pixels))

    def parameter(self, *shape: int) -> str:
        """The expression of a new parameter."""
        name = f"w{len(self.p)}"
        self.p[name] = self.rng.normal(size=shape) * 0.6
        return f'p["{name}"]'

    def each(self, low: int, high: int) -> tuple[int, ...]:
        """An option for each spatial axis."""
        return tuple(self.random.randint(low, high) for _ in range(self.x.ndim - 2))

    def grow(self) -> None:
        """Add a line that works, or none."""
        kinds: list[Callable[[], str]] = [self.activation, self.activation, self.norm, self.mix]
        if self.x.ndim > 2:
            kinds += [
                self.convolution,
                self.convolution,
                self.transposed,
                self.pooling,
                self.pooling,
                self.pad,
            ]
            kinds += [self.resized]
        else:
            kinds += [self.linear, self.linear, self.rows]
        if self.x.ndim == 3:
            kinds += [self.linear, self.attention]
        before = dict(self.p)
        line = self.random.choice(kinds)()
        try:
            found = evaluated(line, self.p, self.x)
        except (RuntimeError, ValueError, NotImplementedError, IndexError):
            found = None
        if isinstance(found, np.ndarray) and 0 < found.size < LARGEST and found.shape[0] == len(self.x):
            self.lines.append(f"x = {line}")
            self.x = found
        else:
            self.p = before

    def activation(self) -> str:
        name = self.random.choice([*ACTIVATIONS, "prelu", "softmax", "log_softmax", "glu", "threshold"])
        more = {"softmax": ", dim=1", "log_softmax": ", dim=-1", "glu": ", 1", "threshold": ", 0.1, -0.3"}
        given = f", {self.parameter(self.x.shape[1])}" if name == "prelu" else more.get(name, "")
        return f"F.{name}(x * 1.5{given})"

    def linear(self) -> str:
        n, m = self.x.shape[-1], self.random.randint(1, 5)
        bias = self.parameter(m) if self.random.random() < 0.7 else "None"
        return f"F.linear(x, {self.parameter(m, n)}, {bias})"

    def rows(self) -> str:
        table = self.parameter(5, self.x.shape[1])
        index = self.rng.integers(0, 5, 4).tolist()
        return f"x + {table}[np.array({index})].sum(0)"

    def norm(self) -> str:
        c, rest = self.x.shape[1], self.x.shape[1:]
        kinds = ["batch", "batch", "group", "layer", "rms", "unit"]
        kind = self.random.choice(kinds + ["instance", "response"] * (self.x.ndim > 2))
        if kind == "batch":
            return f"F.batch_norm(x, None, None, {self.parameter(c)}, {self.parameter(c)}, True, 0.1, 0.01)"
        if kind == "instance":
            return f"F.instance_norm(x, None, None, {self.parameter(c)}, {self.parameter(c)}, eps=0.01)"
        if kind == "group":
            groups = self.random.choice([n for n in range(1, c + 1) if c % n == 0])
            return f"F.group_norm(x, {groups}, {self.parameter(c)}, {self.parameter(c)}, eps=0.01)"
        if kind == "layer":
            shape = rest[self.random.randrange(len(rest)) :]
            return f"F.layer_norm(x, {shape}, {self.parameter(*shape)}, {self.parameter(*shape)}, eps=0.01)"
        if kind == "rms":
            return f"F.rms_norm(x, {rest[-1:]}, {self.parameter(rest[-1])}, eps=0.01)"
        if kind == "response":
            return f"F.local_response_norm(x, {self.random.randint(1, 3)}, 0.2, 0.7, 1.2)"
        return f"F.normalize(x, {self.random.choice([1, 2, 3])}, {self.random.choice([1, -1])})"

    def mix(self) -> str:
        return self.random.choice(
            ["x + F.tanh(x) * x", "x * x - x", "x[:, :1] * x", "x[:, 1:] + x[:, :-1]", "F.dropout(x, 0.0)"]
        )

    def convolution(self) -> str:
        c, rank = self.x.shape[1], self.x.ndim - 2
        groups = self.random.choice([n for n in (1, 1, 2, c) if c % n == 0])
        out = groups * self.random.randint(1, 2)
        weight = self.parameter(out, c // groups, *self.each(1, 3))
        bias = self.parameter(out) if self.random.random() < 0.7 else "None"
        stride, padding = self.each(1, 3), self.random.choice([self.each(0, 2), self.each(0, 2), "same"])
        stride = 1 if padding == "same" else stride  # type: ignore[assignment]
        dilation = self.each(1, 2)
        return f"F.conv{rank}d(x, {weight}, {bias}, {stride}, {padding!r}, {dilation}, {groups})"

    def transposed(self) -> str:
        c, rank = self.x.shape[1], self.x.ndim - 2
        groups = self.random.choice([n for n in (1, 2) if c % n == 0])
        per_group = self.random.randint(1, 2)
        weight = self.parameter(c, per_group, *self.each(1, 3))
        stride, padding, dilation = self.each(1, 3), self.each(0, 1), self.each(1, 2)
        more = tuple(self.random.randrange(max(s, d)) for s, d in zip(stride, dilation, strict=True))
        bias = self.parameter(groups * per_group)
        return (
            f"F.conv_transpose{rank}d(x, {weight}, {bias}, {stride}, {padding}, {more}, {groups}, {dilation})"
        )

    def pooling(self) -> str:
        rank = self.x.ndim - 2
        size, stride = self.each(1, 3), self.random.choice([None, self.each(1, 3)])
        pads = tuple(self.random.randint(0, n // 2) for n in size)
        ceil, kind = (
            self.random.random() < 0.5,
            self.random.choice(["max", "max", "avg", "lp", "amax", "aavg"]),
        )
        if kind == "max":
            dilation = self.random.choice([1, 1, 2])
            return f"F.max_pool{rank}d(x, {size}, {stride}, {pads}, {dilation}, {ceil})"
        if kind == "avg":
            return f"F.avg_pool{rank}d(x, {size}, {stride}, {pads}, {ceil}, {self.random.random() < 0.5})"
        if kind == "lp":
            return f"F.lp_pool{rank}d(F.softplus(x), 3, {size if rank > 1 else size[0]}, ceil_mode={ceil})"
        return f"F.adaptive_{'max' if kind == 'amax' else 'avg'}_pool{rank}d(x, {self.each(1, 4)})"

    def pad(self) -> str:
        mode = self.random.choice(["constant", "reflect", "replicate", "circular"])
        low = -1 if mode == "constant" else 0
        pads = tuple(self.random.randint(low, 2) for _ in range(2 * (self.x.ndim - 2)))
        return f"F.pad(x, {pads}, {mode!r})"

    def resized(self) -> str:
        rank = self.x.ndim - 2
        smooth = ["linear", "bilinear", "trilinear"][rank - 1]
        mode = self.random.choice(["nearest", "area", smooth, smooth, "bicubic" if rank == 2 else smooth])
        align = f", align_corners={self.random.random() < 0.5}" if mode not in ("nearest", "area") else ""
        how = f"size={self.each(1, 5)}" if self.random.random() < 0.6 else "scale_factor=1.5"
        return f"F.interpolate(x, {how}, mode={mode!r}{align})"

    def attention(self) -> str:
        causal = self.random.random() < 0.5
        return f"F.scaled_dot_product_attention(x, x * 0.7, F.tanh(x), is_causal={causal})"

    def loss(self) -> str:
        losses = [
            "(x * x).sum()",
            "F.mse_loss(x, x * 0.0 + 0.3)",
            "F.smooth_l1_loss(x, x * 0.0 + 0.3, beta=0.5)",
            "F.huber_loss(x, x * 0.0, delta=0.7, reduction='sum')",
            "F.binary_cross_entropy_with_logits(x, F.sigmoid(x) * 0.0 + 0.3)",
            "F.kl_div(F.log_softmax(x, 1), F.softmax(x * 0.5, 1), reduction='batchmean')",
            "F.soft_margin_loss(x, x * 0.0 + 1.0)",
            "F.cross_entropy(x, F.softmax(x * 0.0, 1), label_smoothing=0.2)",
            "(x * F.softmax(x, 1)).mean()",
        ]
        return self.random.choice(losses)

    def source(self) -> str:
        return HEADER + "".join(f"    {line}\n" for line in self.lines)


def evaluated(line: str, p: Any, x: Any) -> Any:
    """The value of an expression."""
    with np.errstate(all="ignore"):
        return eval(line, {"np": np, "F": F, "p": p, "x": x})
