"""Are jacobian, hessian and the products of torch.autograd.functional right?"""

from tests.eager.rows.case import each, leaf, raises


def x(torch):
    return torch.tensor([0.5, -1.0, 2.0], dtype=torch.float64)


def m(torch):
    return torch.tensor([[1.0, 2.0], [3.0, 4.0]], dtype=torch.float64)


FUNCTIONS = {
    "square": lambda t, x: x**2,
    "vector": lambda t, x: t.stack([x.prod(), x.sin().sum()]),
    "scalar": lambda t, x: (x.exp() * x).sum(),
    "matrix": lambda t, x: t.outer(x, x),
    "linear": lambda t, x: x * 3 + 1,
}


@each({name: (f,) for name, f in FUNCTIONS.items()})
def more_jacobian(torch, f):
    return torch.autograd.functional.jacobian(lambda x: f(torch, x), x(torch))


def more_jacobian_several(torch):
    def f(a, b):
        return a * b.sum(), a.sum() + b

    return torch.autograd.functional.jacobian(f, (x(torch), m(torch)))


def more_jacobian_several_one_output(torch):
    return torch.autograd.functional.jacobian(lambda a, b: a.sum() * b, (x(torch), m(torch)))


def more_jacobian_vectorize(torch):
    jacobian = torch.autograd.functional.jacobian
    return jacobian(lambda x: x**3, x(torch), vectorize=True)


def more_jacobian_create_graph(torch):
    a = leaf(torch, [1.0, 2.0], "float64")
    j = torch.autograd.functional.jacobian(lambda x: x**3, a, create_graph=True)
    return j.requires_grad, torch.autograd.grad(j.sum(), a)


def more_jacobian_unused(torch):
    jacobian = torch.autograd.functional.jacobian
    plain = jacobian(lambda a, b: a * 2, (x(torch), m(torch)))
    part = "is independent of input 1. This is not allowed in strict mode"
    return plain, raises(lambda: jacobian(lambda a, b: a * 2, (x(torch), m(torch)), strict=True), part)


def more_jacobian_no_grad(torch):
    with torch.no_grad():
        j = torch.autograd.functional.jacobian(lambda x: x**2, x(torch))
    return j, j.requires_grad


def more_jacobian_bad(torch):
    jacobian = torch.autograd.functional.jacobian
    return raises(lambda: jacobian(lambda x: 3, x(torch)), "must be either a Tensor or a tuple of"), raises(
        lambda: jacobian(lambda x: x, 3), "must be either a Tensor or a tuple of Tensors"
    )


@each({name: (FUNCTIONS[name],) for name in ("scalar",)})
def more_hessian(torch, f):
    return torch.autograd.functional.hessian(lambda x: f(torch, x), x(torch))


def more_hessian_cubic(torch):
    return torch.autograd.functional.hessian(lambda x: (x**3).sum() + x.prod(), x(torch))


def more_hessian_several(torch):
    return torch.autograd.functional.hessian(
        lambda a, b: (a.sum() * b).pow(2).sum(), (x(torch)[:2], m(torch))
    )


def more_hessian_vector_output(torch):
    part = "should contain a single element"
    return raises(lambda: torch.autograd.functional.hessian(lambda x: x**2, x(torch)), part)


def more_hessian_create_graph(torch):
    a = leaf(torch, [1.0, 2.0], "float64")
    h = torch.autograd.functional.hessian(lambda x: (x**4).sum(), a, create_graph=True)
    return torch.autograd.grad(h.sum(), a)


def more_vjp(torch):
    v = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    return torch.autograd.functional.vjp(lambda x: x**2, x(torch), v)


def more_vjp_scalar(torch):
    return torch.autograd.functional.vjp(lambda a, b: (a.sum() * b).sum(), (x(torch), m(torch)))


def more_vjp_several(torch):
    def f(a, b):
        return a * 2, b**2

    return torch.autograd.functional.vjp(f, (x(torch), m(torch)), (x(torch), m(torch)))


def more_vjp_bad(torch):
    vjp = torch.autograd.functional.vjp
    return (
        raises(
            lambda: vjp(lambda x: x**2, x(torch)),
            "The vector v can only be None if the user-provided function",
        ),
        raises(lambda: vjp(lambda x: x**2, x(torch), m(torch)), "v has invalid size"),
    )


def more_jvp(torch):
    v = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    return torch.autograd.functional.jvp(lambda x: x**2, x(torch), v)


def more_jvp_several(torch):
    return torch.autograd.functional.jvp(
        lambda a, b: (a.sum() * b, a), (x(torch), m(torch)), (x(torch), m(torch))
    )


def more_jvp_one(torch):
    one = torch.tensor(2.0, dtype=torch.float64)
    part = "The vector v can only be None if the input to the user-provided function is a single Tensor"
    jvp = torch.autograd.functional.jvp
    return jvp(lambda x: x**3, one), raises(lambda: jvp(lambda x: x**2, x(torch)), part)


def more_jvp_create_graph(torch):
    a = leaf(torch, [1.0, 2.0], "float64")
    v = torch.ones(2, dtype=torch.float64)
    _, tangent = torch.autograd.functional.jvp(lambda x: x**3, a, v, create_graph=True)
    return tangent.detach(), torch.autograd.grad(tangent.sum(), a)


def more_hvp(torch):
    v = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    return torch.autograd.functional.hvp(lambda x: (x**3).sum() * x[0], x(torch), v)


def more_vhp(torch):
    v = torch.tensor([1.0, 2.0, 3.0], dtype=torch.float64)
    return torch.autograd.functional.vhp(lambda x: (x**3).sum() * x[0], x(torch), v)


def more_vhp_several(torch):
    def f(a, b):
        return (a.sum() * b**2).sum()

    vs = (x(torch), m(torch))
    return torch.autograd.functional.vhp(f, (x(torch), m(torch)), vs), torch.autograd.functional.hvp(
        f, (x(torch), m(torch)), vs
    )


def more_hvp_linear(torch):
    v = torch.ones(3, dtype=torch.float64)
    return torch.autograd.functional.hvp(lambda x: (x * 3).sum(), x(torch), v)


def more_inputs_untouched(torch):
    a = leaf(torch, [1.0, 2.0], "float64")
    torch.autograd.functional.jacobian(lambda x: x**2, a)
    b = x(torch)
    torch.autograd.functional.hessian(lambda x: x.prod(), b)
    return a.grad, b.requires_grad, a.requires_grad
