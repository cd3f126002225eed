"""When is a computation recorded? requires_grad, no_grad, enable_grad, set_grad_enabled, inference_mode."""

import threading

import numpy as np

from tests.eager.rows.case import each, leaf, name_of, raises

LEAF_ONLY = "you can only change requires_grad flags of leaf variables"


def state(t):
    return t.requires_grad, name_of(t.grad_fn), t.is_leaf


def s000_046(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    with torch.no_grad():
        y = x * 2
    return state(y), y


def s000_047(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    with torch.set_grad_enabled(False):
        y = x * 2
    return state(y), y, str(y)


def s000_048(torch):
    x, y = leaf(torch, [1.0, 2.0, 3.0]), leaf(torch, [4.0, 5.0, 6.0])
    x.requires_grad = False
    z = x * y
    before = z.grad_fn.next_functions[0]
    z.sum().backward()
    return before, x.grad, y.grad


def s000_049(torch):
    torch.set_grad_enabled(False)
    off = torch.is_grad_enabled()
    torch.set_grad_enabled(True)
    return off, torch.is_grad_enabled()


FACTORIES = {
    "tensor": lambda torch, **k: torch.tensor([1.0], **k),
    "zeros": lambda torch, **k: torch.zeros(1, **k),
    "ones": lambda torch, **k: torch.ones(1, **k),
    "full": lambda torch, **k: torch.full((1,), 2.0, **k),
    "eye": lambda torch, **k: torch.eye(2, **k),
    "arange": lambda torch, **k: torch.arange(3.0, **k),
    "linspace": lambda torch, **k: torch.linspace(0, 1, 3, **k),
    "zeros_like": lambda torch, **k: torch.zeros_like(torch.ones(2), **k),
    "ones_like": lambda torch, **k: torch.ones_like(torch.ones(2), **k),
    "full_like": lambda torch, **k: torch.full_like(torch.ones(2), 3.0, **k),
}


@each({name: (make,) for name, make in FACTORIES.items()})
def s000_050(torch, make):
    return make(torch), make(torch, requires_grad=True), make(torch, requires_grad=True).is_leaf


@each({name: name for name in ("rand", "randn", "empty")})
def s000_050_random(torch, name):
    make = getattr(torch, name)
    t = make(2, 3, requires_grad=True)
    return make(2).requires_grad, t.requires_grad, t.is_leaf, tuple(t.shape), t.dtype


def s000_052(torch):
    x, p = leaf(torch, [1.0]), torch.tensor([2.0])
    return name_of((p * p).grad_fn), name_of((p * x).grad_fn), (p * x).requires_grad, (p * p).requires_grad


def s000_053(torch):
    x, p = leaf(torch, [1.0, 2.0]), torch.tensor([9.0, 16.0])
    (x * p).sum().backward()
    return x.grad, p.grad


def s000_054(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    part = "detach()"
    by_attribute = raises(lambda: setattr(y, "requires_grad", False), LEAF_ONLY, part)
    by_method = raises(lambda: y.requires_grad_(False), LEAF_ONLY)
    same = y.requires_grad_() is y
    on = raises(lambda: setattr(y, "requires_grad", True), LEAF_ONLY)
    y.sum().backward()
    return by_attribute, by_method, same, on, y.requires_grad, x.grad


def s000_055(torch):
    integers = torch.tensor([1, 2])
    return (
        raises(
            lambda: torch.tensor([1, 2], requires_grad=True),
            "Only Tensors of floating point and complex dtype",
        ),
        raises(lambda: torch.ones(2, dtype=torch.bool, requires_grad=True), "Only Tensors of floating point"),
        raises(
            lambda: integers.requires_grad_(), "only Tensors of floating point dtype can require gradients"
        ),
        raises(
            lambda: setattr(integers, "requires_grad", True), "only Tensors of floating point and complex"
        ),
        torch.ones(1, dtype=torch.complex64, requires_grad=True).requires_grad,
        integers.requires_grad_(False).requires_grad,
    )


def s000_056(torch):
    x, p = torch.ones(2, 4), leaf(torch, [[1.0] * 4])
    w = leaf(torch, [1.0, 2.0, 3.0, 4.0])
    p.requires_grad_(False)
    y = (x * w + p).sum()
    y.backward()
    return p.grad, tuple(w.grad.shape), tuple(x.shape), w.grad


def s000_058(torch):
    x = leaf(torch, [1.0])
    y = x * 2
    x.requires_grad_(False)
    y.backward()
    return x.grad


def s000_059(torch):
    x = torch.ones(1)
    same = x.requires_grad_() is x
    on = x.requires_grad
    x.requires_grad = False
    off = x.requires_grad
    x.requires_grad_(True)
    return same, on, off, x.requires_grad, x.requires_grad_(requires_grad=False).requires_grad


def s000_060(torch):
    x = leaf(torch, [1.0])
    with torch.no_grad():
        off = torch.is_grad_enabled(), (x * 1).requires_grad
    return torch.is_grad_enabled(), off, torch.is_inference_mode_enabled()


def s000_061(torch):
    @torch.no_grad()
    def with_parentheses(x):
        return x * 4

    @torch.no_grad
    def without(x):
        return x * 4

    x = leaf(torch, [1.0, 2.0])
    return with_parentheses(x), without(x), torch.is_grad_enabled()


def s000_062(torch):
    @torch.enable_grad()
    def f(x):
        return x * 2

    x = leaf(torch, [1.0, 2.0])
    with torch.no_grad():
        with torch.enable_grad():
            y = x * 2
        z = x * 2
        w = f(x)
    y.sum().backward()
    return y.requires_grad, z.requires_grad, w.requires_grad, x.grad


def s000_063(torch):
    mode = torch.set_grad_enabled(False)
    torch.set_grad_enabled(True)

    @torch.set_grad_enabled(False)
    def f(x):
        return (x * 2).requires_grad

    after = torch.is_grad_enabled()
    inside = f(leaf(torch, [1.0]))
    nested = []
    with torch.set_grad_enabled(False):
        nested.append(torch.is_grad_enabled())
        with torch.set_grad_enabled(True):
            nested.append(torch.is_grad_enabled())
        nested.append(torch.is_grad_enabled())
    return after, inside, nested, torch.is_grad_enabled()


def s000_064(torch):
    @torch.inference_mode()
    def with_parentheses(x):
        return x * 2

    @torch.inference_mode
    def without(x):
        return x * 2

    @torch.inference_mode(False)
    def off(x):
        return x * 2

    x = leaf(torch, [1.0])
    return [(f(x).is_inference(), f(x).requires_grad) for f in (with_parentheses, without, off)]


DECORATORS = {
    "no_grad": lambda torch: torch.no_grad(),
    "no_grad class": lambda torch: torch.no_grad,
    "enable_grad": lambda torch: torch.enable_grad(),
    "inference_mode": lambda torch: torch.inference_mode(),
    "set_grad_enabled": lambda torch: torch.set_grad_enabled(False),
}


@each({name: (make,) for name, make in DECORATORS.items()})
def s000_065(torch, make):
    def some_name():
        """doc"""
        raise ValueError(torch.is_grad_enabled())

    f = make(torch)(some_name)
    return f.__name__, f.__doc__, raises(f), torch.is_grad_enabled(), torch.is_inference_mode_enabled()


@each({name: (make,) for name, make in DECORATORS.items() if name != "no_grad class"})
def s000_066(torch, make):
    def run():
        with make(torch):
            raise ValueError("out")

    return raises(run, "out"), torch.is_grad_enabled(), torch.is_inference_mode_enabled()


@each(
    {
        "no_grad": (lambda torch: torch.no_grad(),),
        "set_grad_enabled": (lambda torch: torch.set_grad_enabled(False),),
    }
)
def s000_067(torch, make):
    @make(torch)
    def numbers():
        for _ in range(2):
            yield torch.is_grad_enabled()

    return [(inside, torch.is_grad_enabled()) for inside in numbers()]


def s000_067_send(torch):
    @torch.no_grad()
    def echo():
        got = yield torch.is_grad_enabled()
        while got is not None:
            got = yield (got, torch.is_grad_enabled())
        return "end"

    generator = echo()
    seen = [next(generator), generator.send(1), torch.is_grad_enabled(), generator.send(2)]
    try:
        generator.send(None)
    except StopIteration as stop:
        seen.append(stop.value)
    return seen, torch.is_grad_enabled()


def s000_067_throw(torch):
    @torch.no_grad()
    def catching():
        try:
            yield 1
        except ValueError as error:
            yield str(error), torch.is_grad_enabled()

    generator = catching()
    next(generator)
    return generator.throw(ValueError("thrown")), torch.is_grad_enabled()


def s000_068(torch):
    seen = []

    def run():
        seen.append((torch.is_grad_enabled(), torch.is_inference_mode_enabled()))

    for mode in (torch.no_grad(), torch.inference_mode()):
        with mode:
            thread = threading.Thread(target=run)
            thread.start()
            thread.join()
    return seen


def s000_069(torch):
    with torch.no_grad():
        x = torch.ones(2, requires_grad=True)
        y = torch.tensor([1.0], requires_grad=True)
    return x, y, (x * 2).requires_grad


def s000_070(torch):
    x = leaf(torch, [1.0, 2.0])
    with torch.no_grad():
        c = x * 10
    (x * c).sum().backward()
    return x.grad


def s000_071(torch):
    w = leaf(torch, [2.0, 3.0])
    (w * w).sum().backward()
    with torch.no_grad():
        w -= torch.tensor([-5.0, 3.0])
    first = state(w), w.clone().detach()
    w.grad = None
    (w * w).sum().backward()
    return first, w, w.grad


def s003_010(torch):
    x, y = leaf(torch, [1.0, 2.0]), torch.tensor([3.0, 4.0])
    seen = [x.detach() * y]
    with torch.no_grad():
        seen.append(x * y)
    with torch.inference_mode():
        seen.append(x * y)
    return [(t, state(t)) for t in seen]


def s003_011(torch):
    x = leaf(torch, [1.0, 1.0])
    y = x * 2
    refused = raises(lambda: setattr(y, "requires_grad", False), LEAF_ONLY)
    (y * 3).sum().backward()
    return refused, x.grad


def s003_013(torch):
    x = leaf(torch, [1.0])
    with torch.no_grad():
        y = x * 2
        kept = x.requires_grad
    return y.requires_grad, kept, (x * 2).requires_grad


def s002_013(torch):
    w = torch.from_numpy(np.arange(6.0).reshape(3, 2)).requires_grad_()
    x = torch.ones(5, 3, dtype=torch.float64)
    with torch.no_grad():
        y = x @ w
    return y, torch.equal(y, x @ w), state(y)


def more_nested_modes(torch):
    seen = []
    with torch.no_grad():
        with torch.enable_grad():
            with torch.no_grad():
                seen.append(torch.is_grad_enabled())
            seen.append(torch.is_grad_enabled())
        seen.append(torch.is_grad_enabled())
    with torch.inference_mode():
        with torch.no_grad():
            seen.append(torch.is_inference_mode_enabled())
        seen.append(torch.is_grad_enabled())
    return seen, torch.is_grad_enabled()


def more_no_grad_in_place(torch):
    x = leaf(torch, [1.0, 2.0])
    y = x * 2
    with torch.no_grad():
        y.add_(5)
    y.sum().backward()
    return y, x.grad, y._version


def more_no_grad_requires_grad(torch):
    with torch.no_grad():
        x = torch.ones(2)
        y = x.requires_grad_() * 2
    return x.requires_grad, y.requires_grad, (x * 2).requires_grad


def more_no_grad_view(torch):
    x = leaf(torch, [1.0, 2.0, 3.0])
    with torch.no_grad():
        plain, view = x * 1, x.view(3)
    return plain.requires_grad, view.is_leaf, view.grad_fn is None


def more_no_grad_input_backward(torch):
    x = leaf(torch, [1.0, 2.0])
    y = (x**2).sum()
    with torch.no_grad():
        y.backward()
        kept = x.grad.clone()
    return kept, x.grad


def more_no_grad_class_method(torch):
    class Model:
        @torch.no_grad()
        def predict(self, x, *, scale=1):
            return x * scale

    return Model().predict(leaf(torch, [1.0]), scale=3)


def more_generator_closed(torch):
    log = []

    @torch.no_grad()
    def numbers():
        try:
            yield 1
            yield 2
        finally:
            log.append(torch.is_grad_enabled())

    generator = numbers()
    next(generator)
    generator.close()
    return log, torch.is_grad_enabled()
