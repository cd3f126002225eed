"""Which calls of normalisation, pooling, padding and resampling are compared with PyTorch's, and how?

Of each result and gradient three sums with other weights are kept, not the numbers themselves.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

SHAPES = {1: (2, 4, 9), 2: (2, 4, 8, 6), 3: (2, 4, 4, 5, 4)}
CASES: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {}


def draw(*shape: int, seed: int = 0) -> np.ndarray:
    return np.random.default_rng([seed, *shape]).normal(size=shape)


def add(name: str, fn: Callable[..., Any], *arrays: np.ndarray) -> None:
    """``fn(torch, *tensors)`` under a name."""
    assert name not in CASES, name
    CASES[name] = fn, arrays


def call(name: str, *args: Any, **kwargs: Any) -> Callable[..., Any]:
    """The function of nn.functional of this name, with further arguments."""
    return lambda torch, *tensors: getattr(torch.nn.functional, name)(*tensors, *args, **kwargs)


def digest(array: Any) -> list[Any]:
    """The dtype, the shape and three sums of an array."""
    flat = np.asarray(array, float).ravel()
    at = np.arange(flat.size)
    sums = [float(flat @ np.cos(0.1 + k * at)) for k in (0.7, 1.3, 2.9)]
    return [str(array.dtype), list(array.shape), sums]


def names_of(t: Any) -> list[str]:
    """The nodes of the history, along the first edges."""
    found, node = [], t.grad_fn
    while node is not None:
        found.append(type(node).__name__)
        node = node.next_functions[0][0] if node.next_functions else None
    return found


def outcome(torch: Any, name: str) -> dict[str, Any]:
    """Results, gradients, gradients of gradients, nodes; or the error."""
    fn, arrays = CASES[name]
    tensors = [torch.tensor(a, requires_grad=True) for a in arrays]
    try:
        y = fn(torch, *tensors)
        several = y if isinstance(y, tuple) else (y,)
        g = torch.tensor(draw(*several[0].shape, seed=5), requires_grad=True)
        grads = torch.autograd.grad(several[0], tensors, g.to(several[0].dtype), create_graph=True)
        total = sum((q * torch.tensor(draw(*q.shape, seed=6))).sum() for q in grads)
        second: Any = [None]
        if total.requires_grad:
            second = torch.autograd.grad(total, [*tensors, g], allow_unused=True)
    except (RuntimeError, ValueError, NotImplementedError, IndexError) as error:
        text = str(error).strip().splitlines()[0]
        return {"error": [type(error).__name__, text]}
    return {
        "nodes": names_of(several[0]),
        "results": [digest(t.detach().numpy()) for t in several],
        "gradients": [digest(t.detach().numpy()) for t in grads],
        "second": [None if t is None or not t.any() else digest(t.detach().numpy()) for t in second],
    }


# ----- normalisation

MEAN, VAR = draw(4, seed=2), np.abs(draw(4, seed=3)) + 0.5


def moved(which: str, **options: Any) -> Callable[..., Any]:
    """The running moments after a step, as factors of the result."""

    def run(torch: Any, x: Any) -> Any:
        mean, var = torch.tensor(MEAN), torch.tensor(VAR)
        y = getattr(torch.nn.functional, which)(x, mean, var, **options)
        shape = (1, 4) + (1,) * (x.dim() - 2)
        return y * mean.reshape(shape) + var.reshape(shape)

    return run


def by_running(torch: Any, x: Any, *affine: Any) -> Any:
    return torch.nn.functional.batch_norm(x, torch.tensor(MEAN), torch.tensor(VAR), *affine)


def normalised(which: str, *before: Any, **after: Any) -> Callable[..., Any]:
    def run(torch: Any, x: Any, weight: Any = None, bias: Any = None) -> Any:
        return getattr(torch.nn.functional, which)(x, *before, weight, bias, **after)

    return run


W, B = draw(4, seed=1), draw(4, seed=4)
for x in (draw(5, 4), *(draw(*shape) for shape in SHAPES.values())):
    of = f"of {x.ndim} dimensions"
    last = x.shape[-2:]
    add(f"batch_norm {of}", normalised("batch_norm", None, None, training=True), x, W, B)
    add(f"batch_norm without weights {of}", normalised("batch_norm", None, None, training=True, eps=0.1), x)
    add(f"batch_norm by running moments {of}", by_running, x, W, B)
    add(f"batch_norm moves moments {of}", moved("batch_norm", training=True, momentum=0.3), x)
    add(f"layer_norm {of}", normalised("layer_norm", last), x, draw(*last, seed=1), draw(*last, seed=2))
    add(f"layer_norm without weights {of}", normalised("layer_norm", last[1:]), x)
    add(f"rms_norm {of}", call("rms_norm", last[1:], eps=0.1), x)
    if x.ndim > 2:
        add(f"group_norm {of}", normalised("group_norm", 2), x, W, B)
        add(f"group_norm without weights {of}", normalised("group_norm", 4), x)
        add(f"instance_norm {of}", normalised("instance_norm", None, None), x, W, B)
        add(f"instance_norm moves moments {of}", moved("instance_norm", momentum=0.3), x)
        add(f"local_response_norm {of}", call("local_response_norm", 2, 0.5, 0.75, 1.5), x)
for shape in ((0, 4), (0, 4, 3), (2, 4, 0)):
    add(f"batch_norm of {shape}", normalised("batch_norm", None, None, training=True), draw(*shape))
    add(f"batch_norm by running moments of {shape}", by_running, draw(*shape))
for name, options, shape in (
    ("batch_norm", (None, None, None, None, True), (1, 4)),
    ("batch_norm", (None, None), (2, 4)),
    ("instance_norm", (), (2, 4, 1)),
    ("layer_norm", ((3,),), (2, 4)),
    ("layer_norm", ((),), (2, 4)),
    ("rms_norm", ((3,),), (2, 4)),
    ("group_norm", (3,), (2, 4)),
    ("group_norm", (2,), (1, 2)),
    ("group_norm", (2,), (4,)),
):
    add(f"{name}{options} refuses {shape}", call(name, *options), draw(*shape))

# ----- pooling

MAXIMA = [(2,), (3, 2, 1), (2, 1, 0, 2), (3, 2, 1, 1, True), (9, 9), (2, 0), (2, 1, 2), (2, 1, -1)]
MEANS = [(2,), (3, 2, 1), (3, 2, 1, True), (3, 2, 1, True, False), (2, 0), (2, 1, 2)]


def unpooled(rank: int, **options: Any) -> Callable[..., Any]:
    def run(torch: Any, x: Any) -> Any:
        F = torch.nn.functional
        y, places = getattr(F, f"max_pool{rank}d")(x, 2, return_indices=True)
        return getattr(F, f"max_unpool{rank}d")(y * 2, places, 2, **options)

    return run


for rank, shape in SHAPES.items():
    x, of = draw(*shape), f"{rank}d"
    for how in MAXIMA:
        add(f"max_pool{of}{how}", call(f"max_pool{of}", *how), x)
    add(f"max_pool{of} with indices", call(f"max_pool{of}", 3, 2, 1, return_indices=True), x)
    add(f"max_pool{of} of a sample", call(f"max_pool{of}", 2), x[0])
    add(f"max_pool{of} of no samples", call(f"max_pool{of}", 2), x[:0])
    add(f"max_pool{of} of too little", call(f"max_pool{of}", 2), x[0, 0])
    add(f"max_unpool{of}", unpooled(rank, output_size=shape), x)
    for how in MEANS:
        add(f"avg_pool{of}{how}", call(f"avg_pool{of}", *how), x)
    add(f"lp_pool{of}", call(f"lp_pool{of}", 3.0, 2), np.abs(x))
    for size in (1, 3, 12, (None, 2, 1)[:rank] if rank > 1 else 2):
        add(f"adaptive_avg_pool{of}({size})", call(f"adaptive_avg_pool{of}", size), x)
        add(f"adaptive_max_pool{of}({size})", call(f"adaptive_max_pool{of}", size, True), x)
    add(f"adaptive_avg_pool{of} of too little", call(f"adaptive_avg_pool{of}", 2), x[0, 0])
add("avg_pool2d with a divisor", call("avg_pool2d", 3, 2, 1, False, True, 5), draw(*SHAPES[2]))
add("avg_pool2d by 0", call("avg_pool2d", 2, divisor_override=0), draw(*SHAPES[2]))

# ----- edges, sizes, channels, blocks

for rank, shape in SHAPES.items():
    for mode in ("constant", "reflect", "replicate"):
        for pads in ((1, 2) * rank, (-1, 1) * rank, (1,), (9, 1) * rank):
            add(f"pad {rank}d {mode} {pads}", call("pad", pads, mode), draw(*shape))
    add(f"pad {rank}d by 2.5", call("pad", (1, 1), "constant", 2.5), draw(*shape))
    for mode in ("nearest", "nearest-exact", "area", {1: "linear", 2: "bilinear", 3: "trilinear"}[rank]):
        for options in ({"size": 5}, {"scale_factor": 1.7}, {"scale_factor": 0.5}):
            add(
                f"interpolate {rank}d {mode} {options}",
                call("interpolate", mode=mode, **options),
                draw(*shape),
            )
    mode = {1: "linear", 2: "bicubic", 3: "trilinear"}[rank]
    options = {"mode": mode, "align_corners": True}
    add(f"interpolate {rank}d {mode} by corners", call("interpolate", 7, **options), draw(*shape))
    wrong: list[dict[str, Any]] = [
        {},
        {"size": (1,) * 4},
        {"scale_factor": (1,) * 4},
        {"size": 3, "mode": "none"},
    ]
    wrong += [{"size": 3, "align_corners": True}, {"size": 3, "scale_factor": 1.0}]
    for options in wrong:
        add(f"interpolate {rank}d refuses {options}", call("interpolate", **options), draw(*shape))
for name, how in (
    ("pixel_shuffle", 2),
    ("pixel_shuffle", 3),
    ("pixel_unshuffle", 2),
    ("pixel_unshuffle", 5),
    ("channel_shuffle", 2),
    ("channel_shuffle", 3),
):
    add(f"{name}({how})", call(name, how), draw(*SHAPES[2]))
for how in ((2,), ((3, 2), 2, 1, 2), (9,)):
    add(f"unfold{how}", call("unfold", *how), draw(*SHAPES[2]))
add("fold", call("fold", (4, 5), (2, 3), 1, 1, 2), draw(2, 12, 9))
add("fold of a wrong number of blocks", call("fold", (4, 5), (2, 3)), draw(2, 12, 9))
add("fold of a wrong number of channels", call("fold", (4, 5), (2, 2)), draw(2, 7, 12))


def at_nearest(torch: Any, x: Any) -> Any:
    points = torch.tensor(draw(2, *(2, 3, 4)[: x.dim() - 2], x.dim() - 2))
    return torch.nn.functional.grid_sample(x, points, "nearest")


for rank, shape in list(SHAPES.items())[1:]:
    points = draw(2, *(2, 3, 4)[:rank], rank)
    for padding in ("zeros", "border", "reflection"):
        for aligned in (False, True):
            how = "bilinear", padding, aligned
            add(f"grid_sample {rank}d {how}", call("grid_sample", *how), draw(*shape), points)
    add(f"grid_sample {rank}d nearest", at_nearest, draw(*shape))
    add(f"affine_grid {rank}d", call("affine_grid", shape, False), draw(2, rank, rank + 1))
    add(f"affine_grid {rank}d refuses", call("affine_grid", shape, False), draw(2, 3, 2))
for mode in (("none",), ("bilinear", "none")):
    add(f"grid_sample refuses {mode}", call("grid_sample", *mode), draw(*SHAPES[2]), draw(2, 3, 4, 2))
add("grid_sample refuses points in space", call("grid_sample"), draw(*SHAPES[2]), draw(2, 3, 4, 3))
add("grid_sample refuses another batch", call("grid_sample"), draw(*SHAPES[2]), draw(3, 3, 4, 2))
