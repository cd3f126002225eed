"""What is a case, and how is what it observed written down?"""

import importlib
import re
import types
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

MODULES = (
    "graph",
    "saved",
    "kinks",
    "modes",
    "inference",
    "in_place",
    "in_place_forms",
    "views",
    "complexes",
    "backward",
    "higher_order",
    "printing",
    "layout",
    "accumulation",
    "leaves",
    "hooks",
    "function",
    "function_errors",
    "operations",
    "gradcheck",
    "functional",
    "profiler",
    "anomaly",
    "nodes",
    "threads",
    "examples",
    "names",
    "layers",
    "optimizers",
    "networks",
)

Case = Callable[[Any], Any]


def each(table: Mapping[str, Any]) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """The decorated function is one case for each entry of ``table``: ``function(torch, *entry)``."""

    def mark(function: Callable[..., Any]) -> Callable[..., Any]:
        function.table = table  # type: ignore[attr-defined]
        return function

    return mark


def bind(function: Callable[..., Any], entry: Any) -> Case:
    arguments = entry if isinstance(entry, tuple) else (entry,)
    return lambda torch: function(torch, *arguments)


def cases_of(module: types.ModuleType) -> Iterator[tuple[str, Case]]:
    """The name and the function of each case of a module, in the order of the text."""
    short = module.__name__.rpartition(".")[2]
    for name, value in vars(module).items():
        if not re.match(r"s\d\d\d_\d\d\d|more_", name):
            continue
        if hasattr(value, "table"):
            for key, entry in value.table.items():
                yield f"{short}.{name}[{key}]", bind(value, entry)
        else:
            yield f"{short}.{name}", value


def all_cases() -> dict[str, Case]:
    found: dict[str, Case] = {}
    for name in MODULES:
        for key, case in cases_of(importlib.import_module(f"tests.eager.rows.{name}")):
            assert key not in found, key
            found[key] = case
    return found


def leaf(torch: Any, values: Any, dtype: str = "float32") -> Any:
    """A tensor of these values that requires grad."""
    return torch.tensor(values, dtype=getattr(torch, dtype), requires_grad=True)


def numbers(*shape: int, seed: int = 0) -> Any:
    """The same numbers of moderate size for every run, as an array of float64."""
    return np.random.RandomState(seed).uniform(0.5, 2.0, size=shape)


def text(value: Any) -> str:
    """The text of ``value`` without addresses."""
    return re.sub(r"0x[0-9a-fA-F]+", "0x…", value if isinstance(value, str) else repr(value))


def raises(call: Callable[[], Any], *parts: str) -> dict[str, Any]:
    """Which error ``call()`` raises, and whether its message has these parts."""
    try:
        result = call()
    except Exception as error:
        message = str(error)
        return {
            "raises": type(error).__name__,
            "has": {part: part in message for part in parts},
            "says": text(message).partition("\n")[0],
        }
    return {"raises": None, "returned": type(result).__name__}


def warned(call: Callable[[], Any], *parts: str) -> tuple[Any, dict[str, Any]]:
    """What ``call()`` returns, the categories of the warnings, and whether their texts have these parts."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = call()
    said = "\n".join(str(one.message) for one in caught)
    categories = sorted({one.category.__name__ for one in caught})
    says = text(said).partition("\n")[0]
    return result, {"warns": categories, "has": {part: part in said for part in parts}, "says": says}


def name_of(node: Any) -> str | None:
    return None if node is None else type(node).__name__


def tree(node: Any) -> str:
    """The graph below ``node``: ``Sub(Mul(Leaf), Leaf)``; inputs without a graph are left out."""
    name = re.sub(r"Backward\d*$", "", node.name())
    if name.endswith("AccumulateGrad"):
        return "Leaf"
    below = [tree(next_node) for next_node, _ in node.next_functions if next_node is not None]
    return f"{name}({', '.join(below)})"


def encode(torch: Any, value: Any) -> Any:
    """What was observed, as values that JSON holds."""
    if isinstance(value, torch.Tensor):
        return {
            "tensor": encode(torch, value.tolist()),
            "dtype": str(value.dtype),
            "shape": list(value.shape),
            "requires_grad": value.requires_grad,
            "grad_fn": name_of(value.grad_fn),
            "text": text(repr(value)),
        }
    if value is None or isinstance(value, bool | int | float):
        return value
    if isinstance(value, str):
        return text(value)
    if isinstance(value, complex):
        return {"complex": [value.real, value.imag]}
    if isinstance(value, dict):
        return {str(key): encode(torch, item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [encode(torch, item) for item in value]
    if isinstance(value, np.ndarray):
        return {"array": encode(torch, value.tolist()), "dtype": str(value.dtype)}
    if isinstance(value, np.generic):
        return encode(torch, value.item())
    if isinstance(value, type):
        return value.__name__
    return text(str(value))


def observe(torch: Any, case: Case) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return encode(torch, case(torch))
