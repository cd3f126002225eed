"""Where do random tensors come from? A NumPy generator, set by ``manual_seed``, or one of the user's own."""

from __future__ import annotations

from typing import Any

import numpy as np

from ...rules.torch.steps import sampled, sampled_of_two
from ..checks import only_placement
from ..dispatch import Operation, apply, inplace
from ..dtypes import as_numpy, get_default_dtype
from ..surface import attach, function
from ..tensor import Tensor
from .creation import alike, finished, shape_from


class Generator:
    """A source of random numbers.

    >>> g = Generator().manual_seed(1)
    >>> g.initial_seed()
    1
    """

    def __init__(self, device: Any = "cpu") -> None:
        self.device = device
        self._seed: int | None = None
        self._numbers: Any = None

    @property
    def numbers(self) -> np.random.Generator:
        """The NumPy generator, made when it is first needed."""
        if self._numbers is None:
            self.seed()
        found: np.random.Generator = self._numbers
        return found

    def manual_seed(self, seed: int) -> Generator:
        """Start anew from ``seed``."""
        self._seed = int(seed)
        self._numbers = np.random.default_rng(self._seed % 2**64)
        return self

    def seed(self) -> int:
        """Start anew from a seed that cannot be foreseen, and return it."""
        chosen = int(np.random.default_rng().integers(2**62))
        self.manual_seed(chosen)
        return chosen

    def initial_seed(self) -> int:
        """The seed of the last start."""
        return self.seed() if self._seed is None else self._seed

    def get_state(self) -> Any:
        """What ``set_state`` takes to continue from here."""
        return self.numbers.bit_generator.state

    def set_state(self, new_state: Any) -> Generator:
        """Continue from where ``get_state`` was called."""
        self.numbers.bit_generator.state = new_state
        return self

    def clone_state(self) -> Generator:
        """Another generator that will draw the same numbers."""
        other = Generator()
        other._seed = self._seed
        return other.set_state(self.get_state())


default_generator = Generator()


def generator(given: Generator | None) -> np.random.Generator:
    """The NumPy generator to draw from."""
    return (given or default_generator).numbers


@function(method=False)
def manual_seed(seed: int) -> Generator:
    """Start the random numbers anew: the same seed gives the same numbers."""
    return default_generator.manual_seed(seed)


@function(method=False)
def seed() -> int:
    """Start the random numbers from a seed that cannot be foreseen, and return it."""
    return default_generator.seed()


@function(method=False)
def initial_seed() -> int:
    """The seed of the random numbers."""
    return default_generator.initial_seed()


@function(method=False)
def get_rng_state() -> Any:
    """What ``set_rng_state`` takes to continue from here."""
    return default_generator.get_state()


@function(method=False)
def set_rng_state(new_state: Any) -> None:
    """Continue from where ``get_rng_state`` was called."""
    default_generator.set_state(new_state)


# ----- of a shape


def _leaf(values: Any, dtype: Any, requires_grad: bool) -> Tensor:
    kind = get_default_dtype().dtype if dtype is None else as_numpy(dtype)
    return finished(np.asarray(values).astype(kind), requires_grad)


def _complex_normal(numbers: np.random.Generator, shape: Any, dtype: Any) -> Any:
    if dtype is not None and as_numpy(dtype).kind == "c":
        return (numbers.standard_normal(shape) + 1j * numbers.standard_normal(shape)) / 2**0.5
    return numbers.standard_normal(shape)


@function(method=False)
def rand(
    *size: Any, generator: Any = None, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    """Numbers evenly distributed in ``[0, 1)``."""
    shape = shape_from(ignored.pop("size", None) or size, "rand")
    only_placement("rand", ignored)
    return _leaf(_uniform(_source(generator), shape, dtype), dtype, requires_grad)


def _source(given: Any) -> np.random.Generator:
    return generator(given)


def _uniform(numbers: np.random.Generator, shape: Any, dtype: Any) -> Any:
    """Numbers in ``[0, 1)``: drawn in single precision where they are kept so, lest one be rounded to 1."""
    kind = get_default_dtype().dtype if dtype is None else as_numpy(dtype)
    if kind.kind == "c":
        return numbers.random(shape) + 1j * numbers.random(shape)
    return numbers.random(shape) if kind.itemsize > 4 else numbers.random(shape, np.float32)


@function(method=False)
def randn(
    *size: Any, generator: Any = None, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    """Numbers of the standard normal distribution."""
    shape = shape_from(ignored.pop("size", None) or size, "randn")
    only_placement("randn", ignored)
    return _leaf(_complex_normal(_source(generator), shape, dtype), dtype, requires_grad)


def _limits(name: str, low: Any, high: Any) -> tuple[Any, Any]:
    """The lower and the upper limit; of one alone it is the upper one, by whatever name."""
    if low is None and high is None:
        raise TypeError(f'{name}() missing 1 required positional arguments: "high"')
    if low is None or high is None:
        return 0, high if low is None else low
    return low, high


@function(method=False)
def randint(
    low: Any = None,
    high: Any = None,
    size: Any = None,
    *,
    generator: Any = None,
    dtype: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """Integers from ``low`` (or 0) up to ``high``, exclusive.

    Called as ``randint(high, size)`` or ``randint(low, high, size)``.
    """
    only_placement("randint", ignored)
    if size is None:
        low, high, size = None, low, high
    low, high = _limits("randint", low, high)
    if size is None:
        raise TypeError('randint() missing 1 required positional arguments: "size"')
    if low >= high:
        raise RuntimeError(f"random_ expects 'from' to be less than 'to', but got from={low} >= to={high}")
    return _leaf(
        _source(generator).integers(low, high, shape_from((size,), "randint")),
        np.int64 if dtype is None else dtype,
        requires_grad,
    )


@function(method=False)
def randperm(
    n: int, *, generator: Any = None, dtype: Any = None, requires_grad: bool = False, **ignored: Any
) -> Tensor:
    """The numbers below ``n`` in random order."""
    only_placement("randperm", ignored)
    return _leaf(_source(generator).permutation(n), np.int64 if dtype is None else dtype, requires_grad)


@function(method=False)
def rand_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False, **ignored: Any) -> Tensor:
    """``rand`` in the shape and dtype of ``input``."""
    return alike(rand, (input._array.shape,), input, dtype, requires_grad, "rand_like", ignored)


@function(method=False)
def randn_like(input: Tensor, *, dtype: Any = None, requires_grad: bool = False, **ignored: Any) -> Tensor:
    """``randn`` in the shape and dtype of ``input``."""
    return alike(randn, (input._array.shape,), input, dtype, requires_grad, "randn_like", ignored)


@function(method=False)
def randint_like(
    input: Tensor,
    low: int | None = None,
    high: int | None = None,
    *,
    dtype: Any = None,
    requires_grad: bool = False,
    **ignored: Any,
) -> Tensor:
    """``randint`` in the shape and dtype of ``input``."""
    return alike(
        randint, (low, high, input._array.shape), input, dtype, requires_grad, "randint_like", ignored
    )


# ----- with parameters that are tensors: the gradient by them is zero

BERNOULLI = Operation(sampled, "BernoulliBackward0")
POISSON = Operation(sampled, "PoissonBackward0")
NORMAL_MEAN = Operation(sampled, "NormalBackward1", ("mean",))
NORMAL = Operation(sampled_of_two, "NormalBackward3", ("mean", "std"))
NORMAL_STD = Operation(sampled, "NormalBackward2", ("std",))


@function()
def bernoulli(input: Tensor, p: Any = None, *, generator: Any = None) -> Any:
    """1 with the probability that each element says (or ``p``), else 0."""
    chance = input._array if p is None else np.broadcast_to(_plain(p), input._array.shape)
    if chance.size and not np.all((chance >= 0) & (chance <= 1)):
        raise RuntimeError("Expected p_in >= 0 && p_in <= 1 to be true, but got false.")
    drawn = (_source(generator).random(chance.shape) < chance).astype(input._array.dtype)
    return apply(BERNOULLI, (input, drawn))


def _plain(value: Any) -> Any:
    return value._array if isinstance(value, Tensor) else value


@function(method=False)
def poisson(input: Tensor, generator: Any = None) -> Any:
    """Counts of the Poisson distributions with these rates."""
    return apply(POISSON, (input, _source(generator).poisson(input._array).astype(input._array.dtype)))


@function(method=False)
def normal(mean: Any = 0.0, std: Any = 1.0, size: Any = None, *, generator: Any = None, **how: Any) -> Any:
    """Numbers of normal distributions with these means and standard deviations, numbers or tensors."""
    if np.any(np.less(_plain(std), 0)):
        raise RuntimeError("normal expects all elements of std >= 0.0")
    if size is not None:
        gradient = how.pop("requires_grad", False)
        drawn = randn(size, generator=generator, **how) * std + mean
        return drawn.detach().requires_grad_(gradient)
    like = mean if isinstance(mean, Tensor) else std
    shape = np.broadcast_shapes(np.shape(_plain(mean)), np.shape(_plain(std)))
    drawn = _source(generator).standard_normal(shape) * _plain(std) + _plain(mean)
    drawn = np.asarray(drawn).astype(like._array.dtype)
    if isinstance(mean, Tensor) and isinstance(std, Tensor):
        return apply(NORMAL, (mean, std, drawn))
    return apply(NORMAL_MEAN if like is mean else NORMAL_STD, (like, drawn))


@function()
def multinomial(
    input: Tensor, num_samples: int, replacement: bool = False, *, generator: Any = None
) -> Tensor:
    """Indices drawn with the probabilities that each row is proportional to."""
    weights = np.atleast_2d(input._array).astype(float)
    if np.any(weights < 0) or not np.all(np.isfinite(weights)):
        raise RuntimeError("probability tensor contains either `inf`, `nan` or element < 0")
    if np.any(weights.sum(-1) == 0):
        raise RuntimeError("invalid multinomial distribution (sum of probabilities <= 0)")
    if not replacement and num_samples > weights.shape[-1]:
        raise RuntimeError("cannot sample n_sample > prob_dist.size(-1) samples without replacement")
    numbers = _source(generator)
    rows = [numbers.choice(len(w), num_samples, replacement, w / w.sum()) for w in weights]
    found = np.stack(rows).astype(np.int64)
    return Tensor._of(found[0] if input._array.ndim == 1 else found)


# ----- in place: what was there before no longer counts


def _filling(name: str, node: str, draw: Any) -> None:
    op = Operation(sampled, node)

    def run(self: Tensor, *args: Any, generator: Any = None, **kwargs: Any) -> Tensor:
        values = draw(_source(generator), self._array, *args, **kwargs)
        return inplace(op, self, np.asarray(values).astype(self._array.dtype))

    run.__name__, run.__doc__ = name, f"Fill the tensor with random numbers: ``{name}``."
    attach(name, run)


def _draw_uniform(numbers: Any, array: Any, from_: float = 0.0, to: float = 1.0, **named: Any) -> Any:
    low = named.get("from", from_)
    if low > to:
        raise RuntimeError(f"uniform_ expects to return a [from, to) range, but found from={low} > to={to}")
    return numbers.random(array.shape, np.float32 if array.itemsize <= 4 else np.float64) * (to - low) + low


def _draw_normal(numbers: Any, array: Any, mean: float = 0.0, std: float = 1.0) -> Any:
    if std < 0:
        raise RuntimeError(f"normal expects std >= 0.0, but found std {std}")
    return numbers.standard_normal(array.shape) * std + mean


def _draw_bernoulli(numbers: Any, array: Any, p: Any = 0.5) -> Any:
    return numbers.random(array.shape) < _plain(p)


def _draw_integers(numbers: Any, array: Any, from_: int = 0, to: int | None = None, **named: Any) -> Any:
    low = named.get("from", from_)
    if to is None and low:
        low, to = 0, low
    if to is None:
        bits = {"f": {2: 11, 4: 24, 8: 53}.get(array.itemsize, 24), "b": 1}
        to = 2 ** bits.get(array.dtype.kind, min(8 * array.itemsize - 1, 62))
    return numbers.integers(low, to, array.shape)


def _draw_exponential(numbers: Any, array: Any, lambd: float = 1.0) -> Any:
    return numbers.exponential(1 / lambd, array.shape)


def _draw_log_normal(numbers: Any, array: Any, mean: float = 1.0, std: float = 2.0) -> Any:
    return numbers.lognormal(mean, std, array.shape)


def _draw_cauchy(numbers: Any, array: Any, median: float = 0.0, sigma: float = 1.0) -> Any:
    return numbers.standard_cauchy(array.shape) * sigma + median


def _draw_geometric(numbers: Any, array: Any, p: float) -> Any:
    return numbers.geometric(p, array.shape)


for _name, _node, _draw in (
    ("uniform_", "UniformBackward0", _draw_uniform),
    ("normal_", "NormalBackward0", _draw_normal),
    ("bernoulli_", "BernoulliBackward2", _draw_bernoulli),
    ("random_", "RandomBackward0", _draw_integers),
    ("exponential_", "ExponentialBackward0", _draw_exponential),
    ("log_normal_", "LogNormalBackward0", _draw_log_normal),
    ("cauchy_", "CauchyBackward0", _draw_cauchy),
    ("geometric_", "GeometricBackward0", _draw_geometric),
):
    _filling(_name, _node, _draw)
function("Generator", method=False)(Generator)
