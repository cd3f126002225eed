"""Which optimisations are compared with PyTorch's? Written for either library; tests and records run them."""

from typing import Any

import numpy as np

SHAPES = [(3,), (2, 3), ()]
KEPT = (1, 2, 5, 20)  # steps after which values are recorded

OPTIONS: dict[str, list[dict[str, Any]]] = {
    "SGD": [
        {},
        {"lr": 0.1, "momentum": 0.9},
        {"lr": 0.1, "momentum": 0.9, "dampening": 0.3, "weight_decay": 0.1},
        {"lr": 0.1, "momentum": 0.8, "nesterov": True, "weight_decay": 0.01},
        {"lr": 0.1, "maximize": True, "weight_decay": 0.1},
        {"lr": 0.1, "maximize": True, "momentum": 0.5, "foreach": True},
    ],
    "Adam": [
        {},
        {"lr": 0.1, "weight_decay": 0.1},
        {"lr": 0.1, "amsgrad": True},
        {"lr": 0.1, "betas": (0.3, 0.5), "eps": 0.01, "maximize": True, "weight_decay": 0.1},
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
    ],
    "AdamW": [{}, {"lr": 0.1, "weight_decay": 0.3, "amsgrad": True}],
    "RMSprop": [
        {},
        {"lr": 0.1, "centered": True},
        {"lr": 0.1, "momentum": 0.9, "weight_decay": 0.1},
        {"lr": 0.1, "momentum": 0.9, "centered": True, "maximize": True, "alpha": 0.5},
    ],
    "Adafactor": [
        {},
        {"lr": 0.1, "weight_decay": 0.1, "maximize": True},
        {"lr": 0.5, "beta2_decay": -0.3, "eps": (1e-2, 0.1), "d": 2.0},
    ],
    "Adagrad": [
        {},
        {"lr": 0.1, "lr_decay": 0.1, "weight_decay": 0.1, "initial_accumulator_value": 0.5},
        {"lr": 0.1, "maximize": True},
    ],
    "Adadelta": [{}, {"lr": 0.5, "rho": 0.5, "weight_decay": 0.1, "maximize": True}],
    "Adamax": [{}, {"lr": 0.1, "weight_decay": 0.1, "maximize": True}],
    "NAdam": [
        {},
        {"lr": 0.1, "weight_decay": 0.1},
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True, "momentum_decay": 0.1},
    ],
    "RAdam": [
        {},
        {"lr": 0.1, "weight_decay": 0.1, "maximize": True},
        {"lr": 0.1, "weight_decay": 0.1, "decoupled_weight_decay": True},
    ],
    "Rprop": [{}, {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (0.05, 0.2), "maximize": True}],
    "ASGD": [
        {},
        {"lr": 0.1, "lambd": 0.1, "t0": 5, "weight_decay": 0.1},
        {"lr": 0.1, "maximize": True, "t0": 3},
    ],
}
DTYPES = ("float64", "float32", "complex128")
REAL = {"Adafactor"}  # refuses complex numbers
CASES = [
    (name, i, dtype)
    for name, many in OPTIONS.items()
    for i in range(len(many))
    for dtype in DTYPES[: 2 if name in REAL else 3]
]


def key(name: str, i: int, dtype: str) -> str:
    return f"{name} {i} {dtype}"


def numbers(seed: float, shape: tuple[int, ...], dtype: str) -> np.ndarray:
    """Numbers of either sign, the same everywhere."""
    k = np.arange(1.0, 1.0 + np.prod(shape, dtype=int))
    values = np.sin(seed * 1.7 + k * k) * (1 + 0.3 * np.cos(3 * k + seed))
    if dtype.startswith("complex"):
        values = values + 1j * np.sin(seed + 2.3 * k)
    return np.asarray(values.reshape(shape), dtype=dtype)


def start(lib: Any, name: str, i: int, dtype: str) -> tuple[list[Any], Any]:
    """Parameters in two groups, and their optimiser."""
    params = [lib.tensor(numbers(10.0 + j, shape, dtype)) for j, shape in enumerate(SHAPES)]
    for p in params:
        p.requires_grad_()
    return params, optimizer_of(lib, params, name, i)


def optimizer_of(lib: Any, params: list[Any], name: str, i: int) -> Any:
    groups = [{"params": params[:1]}, {"params": params[1:], "lr": 0.03}]
    return getattr(lib.optim, name)(groups, **OPTIONS[name][i])


def trajectory(lib: Any, name: str, i: int, dtype: str, resumed: bool = False) -> dict[int, list[np.ndarray]]:
    """The parameters after some of 20 steps; each parameter has no gradient in every fifth.

    ``resumed``: after 8 steps a new optimiser goes on with the state dict of the first.
    """
    params, optimizer = start(lib, name, i, dtype)
    kept = {}
    for t in range(1, 21):
        for j, (p, shape) in enumerate(zip(params, SHAPES)):
            p.grad = None if (t + j) % 5 == 4 else lib.tensor(numbers(t + 3.1 * j, shape, dtype))
        optimizer.step()
        if resumed and t == 8:
            state = optimizer.state_dict()
            optimizer = optimizer_of(lib, params, name, i)
            optimizer.load_state_dict(state)
        if t in KEPT:
            kept[t] = [np.array(p.detach().numpy()) for p in params]
    return kept


# ----- L-BFGS
def rosenbrock(params: list[Any]) -> Any:
    x, y = params
    return (100 * (y - x**2) ** 2 + (1 - x) ** 2).sum()


SEARCHES = [
    {"line_search_fn": "strong_wolfe"},
    {"lr": 1e-3},
    {"lr": 0.1, "max_iter": 5, "history_size": 3, "line_search_fn": "strong_wolfe"},
    {"lr": 2e-3, "history_size": 2, "max_iter": 7},
    {"line_search_fn": "strong_wolfe", "max_eval": 3},
    {"lr": 1e-3, "max_iter": 1},
]


def quasi_newton(lib: Any, i: int, dtype: str, resumed: bool = False) -> list[list[float]]:
    """The loss and the parameters after each of 3 steps on Rosenbrock's function."""
    params = [lib.tensor(np.array([a, b], dtype)).requires_grad_() for a, b in ((-1.2, 0.5), (1.0, 0.0))]
    optimizer = lib.optim.LBFGS(params, **SEARCHES[i])

    def closure() -> Any:
        optimizer.zero_grad()
        loss = rosenbrock(params)
        loss.backward()
        return loss

    kept = []
    for t in range(3):
        loss = optimizer.step(closure)
        kept.append([float(loss.detach()), *(float(v) for p in params for v in p.detach())])
        if resumed and t == 0:
            state = optimizer.state_dict()
            optimizer = lib.optim.LBFGS(params, **SEARCHES[i])
            optimizer.load_state_dict(state)
    return kept


# ----- schedulers
class Power:
    def __init__(self) -> None:
        self.base = 0.9

    def __call__(self, epoch: int) -> float:
        return self.base**epoch


SCHEDULERS: dict[str, Any] = {
    "LambdaLR": lambda s, o, **k: s.LambdaLR(o, [lambda e: 0.9**e, Power()], **k),
    "MultiplicativeLR": lambda s, o, **k: s.MultiplicativeLR(o, lambda e: 0.95, **k),
    "StepLR": lambda s, o, **k: s.StepLR(o, 3, 0.3, **k),
    "MultiStepLR": lambda s, o, **k: s.MultiStepLR(o, [2, 5, 5, 9], 0.5, **k),
    "ConstantLR": lambda s, o, **k: s.ConstantLR(o, 0.25, 4, **k),
    "LinearLR": lambda s, o, **k: s.LinearLR(o, 0.2, 0.9, 6, **k),
    "ExponentialLR": lambda s, o, **k: s.ExponentialLR(o, 0.8, **k),
    "PolynomialLR": lambda s, o, **k: s.PolynomialLR(o, 7, 2.0, **k),
    "CosineAnnealingLR": lambda s, o, **k: s.CosineAnnealingLR(o, 5, 0.01, **k),
    "CosineAnnealingWarmRestarts": lambda s, o, **k: s.CosineAnnealingWarmRestarts(o, 3, 2, 0.001, **k),
    "warm restarts of one length": lambda s, o, **k: s.CosineAnnealingWarmRestarts(o, 4, **k),
    "CyclicLR": lambda s, o, **k: s.CyclicLR(o, 0.01, 0.4, 3, 5, **k),
    "triangular2": lambda s, o, **k: s.CyclicLR(
        o, [0.01, 0.02], [0.4, 0.5], 4, mode="triangular2", base_momentum=[0.7, 0.6], **k
    ),
    "exp_range": lambda s, o, **k: s.CyclicLR(o, 0.01, 0.4, 3, mode="exp_range", gamma=0.9, **k),
    "scale_fn": lambda s, o, **k: s.CyclicLR(
        o, 0.01, 0.4, 3, scale_fn=lambda x: 1 / x, cycle_momentum=False, **k
    ),
    "OneCycleLR": lambda s, o: s.OneCycleLR(o, 0.5, 40),
    "three phases": lambda s, o: s.OneCycleLR(
        o,
        [0.5, 0.1],
        epochs=4,
        steps_per_epoch=10,
        anneal_strategy="linear",
        three_phase=True,
        pct_start=0.35,
    ),
    "SequentialLR": lambda s, o: s.SequentialLR(
        o, [s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9), s.CosineAnnealingLR(o, 6)], [4, 9]
    ),
    "nested": lambda s, o: s.SequentialLR(
        o,
        [s.SequentialLR(o, [s.StepLR(o, 2), s.ExponentialLR(o, 0.7)], [7]), s.LinearLR(o, 0.1, 1.0, 5)],
        [12],
    ),
    "ChainedScheduler": lambda s, o: s.ChainedScheduler([s.ConstantLR(o, 0.1, 3), s.ExponentialLR(o, 0.9)]),
}
RESUMABLE = [name for name in SCHEDULERS if name not in
             ("OneCycleLR", "three phases", "SequentialLR", "nested", "ChainedScheduler")]  # fmt: skip
PLATEAUS = [
    {},
    {"mode": "max", "factor": 0.5, "patience": 2, "threshold": 0.01, "cooldown": 3, "min_lr": [0.01, 0.02]},
    {"patience": 1, "threshold_mode": "abs", "threshold": 0.1},
    {"mode": "max", "threshold_mode": "abs", "patience": 0, "cooldown": 1},
]


def scheduled(lib: Any, kind: str, resumed: bool = False) -> Any:
    """An optimiser with two groups, of other rates."""
    groups = [
        {"params": [lib.tensor([float(i)]).requires_grad_()], "lr": lr} for i, lr in enumerate((0.5, 0.07))
    ]
    if resumed:
        for group in groups:
            group["initial_lr"] = group["lr"]
    return getattr(lib.optim, kind)(groups, **({"momentum": 0.9} if kind == "SGD" else {}))


def curve(lib: Any, name: str, kind: str, **options: Any) -> list[list[float]]:
    """The rates, and the momenta, of both groups in 30 epochs."""
    optimizer = scheduled(lib, kind, resumed=bool(options))
    scheduler = SCHEDULERS[name](lib.optim.lr_scheduler, optimizer, **options)
    kept = []
    for _ in range(30):
        optimizer.step()
        scheduler.step()
        kept.append([*scheduler.get_last_lr(), *map(momentum, optimizer.param_groups)])
    return kept


def momentum(group: dict[str, Any]) -> float:
    return group["momentum"] if "momentum" in group else group["betas"][0]


def plateau(lib: Any, i: int) -> list[list[float]]:
    """The rates in 60 epochs of a noisy metric."""
    optimizer = scheduled(lib, "SGD")
    scheduler = lib.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **PLATEAUS[i])
    kept = []
    for t in range(60):
        scheduler.step(round(0.5 + 0.4 * np.sin(1.7 * t * t), 6))
        kept.append([*scheduler.get_last_lr()])
    return kept
