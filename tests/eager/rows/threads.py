"""What happens when several threads differentiate at once?"""

import threading

from tests.eager.rows.case import leaf, raises

TWICE = "Trying to backward through the graph a second time"


def together(*calls):
    """Runs the calls at once and returns the errors."""
    errors, barrier = [], threading.Barrier(len(calls))

    def run(call):
        barrier.wait()
        try:
            call()
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=run, args=(call,)) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors


def s003_016(torch):
    x = torch.ones(4, dtype=torch.float64, requires_grad=True)

    def work():
        for _ in range(50):
            (x * 2).sum().backward()

    return together(*[work] * 7), x.grad


def s003_017(torch):
    leaves = [torch.full((3,), float(n), dtype=torch.float64, requires_grad=True) for n in range(4)]

    def work(x):
        return lambda: (x**3).sum().backward()

    return together(*[work(x) for x in leaves]), [x.grad for x in leaves]


def s003_018(torch):
    x = torch.ones(4, dtype=torch.float64, requires_grad=True)
    y = (x**2).sum()
    errors = together(lambda: y.backward(), lambda: y.backward())
    right = all(TWICE in str(e) for e in errors)
    z = torch.ones(4, dtype=torch.float64, requires_grad=True)
    kept = (z**2).sum()
    none = together(lambda: kept.backward(retain_graph=True), lambda: kept.backward(retain_graph=True))
    consistent = torch.equal(x.grad, torch.full((4,), 2.0 * (2 - len(errors)), dtype=torch.float64))
    return right, consistent, none, z.grad, raises(lambda: y.backward(), TWICE)


def more_modes_in_threads(torch):
    seen = {}

    def off():
        with torch.no_grad():
            seen["off"] = torch.is_grad_enabled()
            first.wait()

    def on():
        seen["on"] = (leaf(torch, [1.0]) * 2).requires_grad
        first.wait()

    first = threading.Barrier(2)
    return together(off, on), seen["off"], seen["on"]


def more_set_grad_enabled_in_thread(torch):
    errors = together(lambda: torch.set_grad_enabled(False))
    return errors, torch.is_grad_enabled()


def more_backward_in_thread(torch):
    x, seen = leaf(torch, [2.0]), []
    x.register_hook(lambda g: seen.append(g.item()))
    y = x * x
    return together(lambda: y.backward()), x.grad, seen


def more_grad_in_threads(torch):
    x = leaf(torch, [1.0, 2.0], "float64")
    y = (x**2).sum()
    results = []
    errors = together(*[lambda: results.append(torch.autograd.grad(y, x, retain_graph=True)[0])] * 4)
    return errors, results, x.grad


def more_saved_hooks_per_thread(torch):
    x, log = leaf(torch, [1.0]), []
    with torch.autograd.graph.saved_tensors_hooks(lambda t: (log.append("pack"), t)[1], lambda t: t):
        errors = together(lambda: (x**2).backward())
    return errors, log


def more_function_in_threads(torch):
    class Fn(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            ctx.save_for_backward(x)
            return x**2

        @staticmethod
        def backward(ctx, g):
            return g * 2 * ctx.saved_tensors[0]

    x = torch.ones(2, dtype=torch.float64, requires_grad=True)

    def work():
        for _ in range(20):
            Fn.apply(x).sum().backward()

    return together(work, work, work), x.grad
