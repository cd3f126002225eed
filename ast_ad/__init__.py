"""What does a user import? ``grad`` and its relatives, the tensor library, and the errors they raise.

Everything is loaded when it is first used, so that importing the package stays cheap.
"""

from __future__ import annotations

from .addresses import address, register

register()  # before all else: another thread may ask for an older address already

from typing import TYPE_CHECKING, Any  # noqa: E402

if TYPE_CHECKING:
    from .api import (
        custom_jvp,
        custom_vjp,
        defjvp,
        defvjp,
        grad,
        inspect,
        linearize,
        map_cotangent,
        primitive,
        stop_gradient,
        value_and_grad,
        vjp,
    )
    from .autograd_names import (
        hessian_tensor_product,
        hessian_vector_product,
        make_ggnvp,
        make_hvp,
        make_jvp,
        make_jvp_reversemode,
        make_vjp,
        multigrad_dict,
        tensor_jacobian_product,
        vector_jacobian_product,
    )
    from .checking.check_grads import check_grads
    from .compiler.emit.storage import clear_cache
    from .errors import AdError, FallbackWarning, SolutionWarning, ZeroGradientWarning
    from .operators.batching import vmap
    from .operators.jacobians import hessian, jacfwd, jacobian, jacrev
    from .operators.products import elementwise_grad, hvp, jvp, laplacian
    from .registered import register_container

__version__ = "0.1.0"
__all__ = [
    "AdError",
    "FallbackWarning",
    "SolutionWarning",
    "ZeroGradientWarning",
    "check_grads",
    "clear_cache",
    "custom_jvp",
    "custom_vjp",
    "defjvp",
    "defvjp",
    "elementwise_grad",
    "grad",
    "hessian",
    "hessian_tensor_product",
    "hessian_vector_product",
    "hvp",
    "inspect",
    "jacfwd",
    "jacobian",
    "jacrev",
    "jvp",
    "laplacian",
    "linearize",
    "make_ggnvp",
    "make_hvp",
    "make_jvp",
    "make_jvp_reversemode",
    "make_vjp",
    "map_cotangent",
    "multigrad_dict",
    "primitive",
    "register_container",
    "stop_gradient",
    "tensor_jacobian_product",
    "value_and_grad",
    "vector_jacobian_product",
    "vjp",
    "vmap",
]

_AUTOGRAD = {
    "hessian_tensor_product", "hessian_vector_product", "make_ggnvp", "make_hvp", "make_jvp",
    "make_jvp_reversemode", "make_vjp", "multigrad_dict", "tensor_jacobian_product",
    "vector_jacobian_product",
}  # fmt: skip
_RULES = {"custom_jvp", "custom_vjp", "defjvp", "defvjp", "map_cotangent", "primitive", "stop_gradient"}
# Where a function is found that is loaded when it is first used.
_FOUND_IN = {
    **dict.fromkeys(("grad", "inspect", "linearize", "value_and_grad", "vjp"), ".api"),
    **dict.fromkeys(_RULES, ".api"),
    **dict.fromkeys(("hessian", "jacfwd", "jacobian", "jacrev"), ".operators.jacobians"),
    **dict.fromkeys(("elementwise_grad", "hvp", "jvp", "laplacian"), ".operators.products"),
    **dict.fromkeys(_AUTOGRAD, ".autograd_names"),
    "vmap": ".operators.batching",
    "check_grads": ".checking.check_grads",
    "clear_cache": ".compiler.emit.storage",
    "register_container": ".registered",
}
_MODULES = {"errors", "fallback", "files", "rule", "torch"}


def __getattr__(name: str) -> Any:
    from importlib import import_module, util

    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    errors = import_module(".errors", __name__)
    if isinstance(error := getattr(errors, name, None), type) and error.__module__ == errors.__name__:
        return error
    if name in _FOUND_IN:
        found = globals()[name] = getattr(import_module(_FOUND_IN[name], __name__), name)
        return found
    if name in _MODULES:
        return import_module(f".{address(name)}", __name__)
    torch = import_module(".torch", __name__)
    if name in torch.MODULES - torch.ONLY_HERE:
        return getattr(torch, name)
    if name in torch.ONLY_HERE or util.find_spec(f"{__name__}.{name}") is not None:
        # ``from . import name`` asks here before it imports: no cause to load tensors
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        found = globals()[name] = getattr(torch, name)
    except AttributeError as error:
        text = str(error).replace(torch.__name__, __name__)
        raise AttributeError(text) from None
    return found


def __dir__() -> list[str]:
    """The public names: of the compiler, and of PyTorch, whose modules are loaded for it."""
    from importlib import import_module

    errors, torch = (import_module(f".{name}", __name__) for name in ("errors", "torch"))
    kinds = (name for name, value in vars(errors).items() if isinstance(value, type))
    own = {name for name in kinds if getattr(errors, name).__module__ == errors.__name__}
    own = {name for name in own if issubclass(getattr(errors, name), (Exception, Warning))}
    return sorted({"__version__", *__all__, *own, *_MODULES, *(set(dir(torch)) - torch.ONLY_HERE)})


def _solver_call() -> Any:
    from .calls.solver_calls import SolverCall

    return SolverCall


from .calls import doors as _doors  # noqa: E402

_doors.solver_call = _solver_call
