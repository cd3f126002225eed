"""Which derivatives beyond the gradient are timed? A module for each, see ``Operator`` for what it holds."""

from __future__ import annotations

import importlib
import pkgutil
from typing import Any


class Operator:
    """A module of this package: a function as users write it, and one derivative of it in its first argument.

    A module has ``primal``, ``arguments(**size)``, ``SIZE`` and ``TINY`` (sizes for timing and for tests) and
    ``KIND``, the derivative: ``jacobian``, ``hessian``, ``hvp`` (along the last argument, which the function
    does not take), ``laplacian`` or ``rows``: the gradients of each row of the arguments that ``ROWS`` tells.
    ``jax_version()`` is the function for JAX; ``hand``, where there is one, a derivative in Numba of the same
    arguments.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.module = module = importlib.import_module(f"{__name__}.{name}")
        self.title = (module.__doc__ or name).partition(":")[0]
        self.kind: str = module.KIND
        self.primal = module.primal
        self.hand: Any = getattr(module, "hand", None)

    def arguments(self, tiny: bool = False) -> tuple[Any, ...]:
        return self.module.arguments(**(self.module.TINY if tiny else self.module.SIZE))

    def by(self, tool: Any, function: Any, **options: Any) -> Any:
        """The derivative by a module with these names, ``ast_ad`` or the one of ``jax_names``."""
        if self.kind == "hvp":
            return lambda *args: tool.hvp(function, args[:-1], args[-1:], argnums=0, **options)[0]
        if self.kind == "rows":
            axes = (None, *(0 if mapped else None for mapped in self.module.ROWS))
            return tool.vmap(tool.grad(function, **options), in_axes=axes, **options)
        return getattr(tool, self.kind)(function, **options)

    def by_jax(self) -> Any:
        """The expert's form, jitted: integers are static, the result is awaited."""
        import jax

        jax.config.update("jax_enable_x64", True)
        names = {"hvp": _hvp, "laplacian": _laplacian, "hessian": jax.hessian, "vmap": jax.vmap}
        names |= {"grad": jax.grad, "jacobian": getattr(jax, getattr(self.module, "JAX", "jacfwd"))}
        derivative = self.by(type("names", (), {k: staticmethod(v) for k, v in names.items()}), self.jax())

        def call(*args: Any) -> Any:
            static = tuple(i for i, arg in enumerate(args) if isinstance(arg, int))
            there = [arg if isinstance(arg, int) else jax.numpy.asarray(arg) for arg in args]
            jitted = jax.jit(derivative, static_argnums=static)
            return lambda: jax.block_until_ready(jitted(*there))

        return call

    def jax(self) -> Any:
        return self.module.jax_version()


def _hvp(function: Any, primals: Any, tangents: Any, argnums: int) -> Any:
    import jax

    x, *rest = primals
    return (jax.jvp(lambda x: jax.grad(function)(x, *rest), (x,), tangents)[1],)


def _laplacian(function: Any) -> Any:
    import jax

    def laplacian(x: Any, *rest: Any) -> Any:
        slope = jax.grad(function)
        along = lambda v: jax.jvp(lambda x: slope(x, *rest), (x,), (v,))[1] @ v  # noqa: E731
        return jax.numpy.sum(jax.vmap(along)(jax.numpy.eye(len(x))))

    return laplacian


def operators() -> list[str]:
    return sorted(module.name for module in pkgutil.iter_modules(__path__) if module.name != "__main__")
