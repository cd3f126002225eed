"""What do optimisers say and show? Short programs in which ``torch`` is either library, and outcomes."""

import contextlib
import copy
import importlib
import io
import warnings
from typing import Any

SETUP = """
from torch import optim
def param(*values, **options):
    return torch.tensor(values or (1.0, 2.0), requires_grad=True, **options)
p, q, wide = param(), param(3.0), param(0.5, 0.25, dtype=torch.float64)
def stepped(optimizer, *grads):
    for parameter, grad in zip((p, q), grads or (torch.tensor([1.0, -2.0]), torch.tensor([0.5]))):
        parameter.grad = grad
    optimizer.step()
    return optimizer
def loaded(optimizer, state):
    optimizer.load_state_dict(state)
    return optimizer
def step_hooks(o):
    o.register_step_pre_hook(lambda *a: print("before", len(a[1]), a[2]))
    o.register_step_post_hook(lambda *a: print("after", len(a[1]), a[2]))
    o.step()
    return stepped(o)
def state_hooks(o):
    o.register_state_dict_pre_hook(lambda o: print("pre"))
    o.register_state_dict_post_hook(lambda o, d: {"more": 1, **d})
    return o.state_dict()
def load_hooks(o):
    o.register_load_state_dict_pre_hook(lambda o, d: print(sorted(d)))
    o.register_load_state_dict_post_hook(lambda o: print("post"))
    return loaded(o, o.state_dict())
def global_hooks(o):
    handle = base.register_optimizer_step_pre_hook(lambda *a: print("everywhere"))
    stepped(o)
    handle.remove()
    return stepped(o)
def too_many(o):
    s = S.OneCycleLR(o, 0.1, 3)
    for _ in range(5):
        o.step()
        s.step()
def to_epoch(o):
    s = S.StepLR(o, 2)
    o.step()
    s.step()
    s.step(3)
    return s.get_last_lr()
S = optim.lr_scheduler
"""

SOURCES = """
optim.SGD([], lr=0.1)
optim.SGD([p * 2], lr=0.1)
optim.SGD([p], lr=-1)
optim.SGD(p, lr=0.1)
optim.SGD([p, 3], lr=0.1)
optim.SGD(["p"], lr=0.1)
optim.SGD({"p": p}, lr=0.1)
optim.SGD(3, lr=0.1)
optim.SGD([{"params": {p, q}}], lr=0.1)
optim.SGD([("p", p), q], lr=0.1)
optim.SGD([{"params": [p]}, {"params": [q, p]}], lr=0.1)
optim.SGD([p, p], lr=0.1)
optim.SGD([{"params": [("p", p)]}, {"params": [q]}], lr=0.1)
optim.SGD([p], lr=0.1).add_param_group([q])
optim.SGD([p], lr=0.1).add_param_group({"params": p})
optim.SGD([p], lr=0.1, momentum=-1)
optim.SGD([p], lr=0.1, weight_decay=-1)
optim.SGD([p], lr=0.1, nesterov=True)
optim.SGD([p], lr=0.1, nesterov=True, momentum=0.9, dampening=0.1)
optim.SGD([p], lr=torch.ones(2))
optim.SGD([p], lr=0.1, fused=True, foreach=True)
optim.Adam([p], lr=-0.5)
optim.Adam([p], eps=-1)
optim.Adam([p], betas=(1.0, 0.9))
optim.Adam([p], betas=(0.9, -0.5))
optim.Adam([p], betas=(0, 0.5))
optim.Adam([p], weight_decay=-1)
optim.Adam([p], lr=torch.tensor(0.1), foreach=True)
optim.Adam([p], fused=True, foreach=True)
optim.AdamW([p], weight_decay=-1)
optim.RMSprop([p], lr=-1)
optim.RMSprop([p], eps=-1)
optim.RMSprop([p], momentum=-1)
optim.RMSprop([p], weight_decay=-1)
optim.RMSprop([p], alpha=-1)
optim.Adagrad([p], lr=-1)
optim.Adagrad([p], lr_decay=-1)
optim.Adagrad([p], weight_decay=-1)
optim.Adagrad([p], initial_accumulator_value=-1)
optim.Adagrad([p], eps=-1)
optim.Adadelta([p], rho=1.5)
optim.Adadelta([p], eps=-1)
optim.Adamax([p], betas=(0.5, 1.5))
optim.NAdam([p], momentum_decay=-1)
optim.RAdam([p], betas=(-0.5, 0.5))
optim.Rprop([p], etas=(0.5, 0.9))
optim.ASGD([p], weight_decay=-1)
optim.LBFGS([p], lr=-1)
optim.LBFGS([{"params": [p]}, {"params": [q]}])
optim.Optimizer([p], {}).step()
optim.Optimizer([p], {"lr": base.required})
base.required
optim.SGD([p], lr=0.1, momentum=0.9)
optim.AdamW([{"params": [p], "lr": 0.5}, {"params": [q], "betas": (0.5, 0.6)}], lr=torch.tensor(0.1))
optim.LBFGS([p])
optim.SGD([("first", p), ("second", q)], lr=0.1).state_dict()
optim.SGD([("first", p), ("second", q)], lr=0.1)
stepped(optim.SGD([p, q], lr=0.1)).state_dict()
stepped(optim.SGD([p, q], lr=0.1, momentum=0.5)).state_dict()
stepped(optim.Adam([p, q], lr=0.1)).state_dict()
stepped(optim.Adam([q, p], lr=0.1, amsgrad=True)).state_dict()
stepped(optim.Adagrad([p, q], lr=0.1), torch.tensor([1.0, -2.0])).state_dict()
stepped(optim.NAdam([p], lr=0.1)).state_dict()
(stepped(optim.SGD([p, q], lr=torch.tensor(0.1))), p, q)
(stepped(optim.Adam([p, q], lr=torch.tensor([0.1]))), p, q)
(stepped(optim.SGD([p, q], lr=0.1), None, torch.tensor([1.0])), p, q)
(lambda v: (stepped(optim.SGD([p, q], lr=0.1)), p._version - v))(p._version)
(stepped(optim.SGD([p, q], lr=0.1)).zero_grad(), p.grad, q.grad)
(stepped(optim.SGD([p, q], lr=0.1)).zero_grad(set_to_none=False), p.grad, q.grad)
optim.SGD([p], lr=0.1).step(lambda: (p * p).sum())
optim.SGD([p], lr=0.1).step(lambda: torch.is_grad_enabled())
torch.no_grad()(lambda: optim.SGD([p], lr=0.1).step(lambda: torch.is_grad_enabled()))()
optim.Adam([p], lr=0.1).load_state_dict(optim.Adam([p, q], lr=0.1).state_dict())
loaded(optim.Adam([p]), optim.Adam([{"params": [p]}, {"params": [q]}]).state_dict())
loaded(optim.Adam([wide, param(4.0)]), stepped(optim.Adam([p, q])).state_dict()).state_dict()
loaded(optim.SGD([("b", q)]), optim.SGD([("a", p)], lr=0.7).state_dict()).state_dict()
loaded(optim.SGD([("b", q)]), optim.SGD([p], lr=0.7).state_dict()).state_dict()
step_hooks(optim.SGD([p]))
state_hooks(optim.SGD([p]))
load_hooks(optim.SGD([p]))
global_hooks(optim.SGD([p, q]))
copy.deepcopy(stepped(optim.Adam([p, q], lr=0.1))).state_dict()
S.StepLR(p, 3)
S.StepLR(optim.SGD([p], lr=0.1), 3, last_epoch=5)
S.LambdaLR(optim.SGD([p], lr=0.1), [abs, abs])
S.MultiplicativeLR(optim.SGD([p], lr=0.1), 3)
S.ConstantLR(optim.SGD([p], lr=0.1), 1.5)
S.LinearLR(optim.SGD([p], lr=0.1), 0.0)
S.LinearLR(optim.SGD([p], lr=0.1), 0.5, 1.5)
S.CosineAnnealingWarmRestarts(optim.SGD([p], lr=0.1), 0)
S.CosineAnnealingWarmRestarts(optim.SGD([p], lr=0.1), 3, 0.5)
S.CosineAnnealingWarmRestarts(optim.SGD([p], lr=0.1), 3, 1, "a")
S.CosineAnnealingWarmRestarts(optim.SGD([p], lr=0.1), 3).step(-1)
S.CyclicLR(optim.SGD([p], lr=0.1, momentum=0.9), 0.1, 0.2, mode="square")
S.CyclicLR(optim.Adagrad([p], lr=0.1), 0.1, 0.2)
S.CyclicLR(optim.SGD([p], lr=0.1, momentum=0.9), [0.1, 0.2], 0.2)
S.OneCycleLR(optim.SGD([p], lr=0.1, momentum=0.9), 0.1)
S.OneCycleLR(optim.SGD([p], lr=0.1, momentum=0.9), 0.1, -3)
S.OneCycleLR(optim.SGD([p], lr=0.1, momentum=0.9), 0.1, epochs=3, steps_per_epoch=0.5)
S.OneCycleLR(optim.SGD([p], lr=0.1, momentum=0.9), 0.1, 10, pct_start=1.5)
S.OneCycleLR(optim.SGD([p], lr=0.1, momentum=0.9), 0.1, 10, anneal_strategy="sin")
S.OneCycleLR(optim.Adagrad([p], lr=0.1), 0.1, 10)
too_many(optim.SGD([p], lr=0.1, momentum=0.9))
S.ReduceLROnPlateau(optim.SGD([p], lr=0.1), factor=1.0)
S.ReduceLROnPlateau(optim.SGD([p], lr=0.1), mode="mean")
S.ReduceLROnPlateau(optim.SGD([p], lr=0.1), threshold_mode="none")
S.ReduceLROnPlateau(optim.SGD([p], lr=0.1), min_lr=[0.1, 0.2])
S.SequentialLR(optim.SGD([p], lr=0.1), [], [])
S.SequentialLR(optim.SGD([p], lr=0.1), [3], [])
(lambda o: S.SequentialLR(o, [S.ReduceLROnPlateau(o)], []))(optim.SGD([p], lr=0.1))
(lambda o: S.SequentialLR(o, [S.StepLR(o, 2)], [3]))(optim.SGD([p], lr=0.1))
S.SequentialLR(optim.SGD([p], lr=0.1), [S.StepLR(optim.Adam([p], lr=0.1), 2)], [])
S.ChainedScheduler([])
S.LRScheduler(optim.SGD([p], lr=0.1))
S.StepLR(optim.SGD([p], lr=0.1), 2).get_lr()
S.StepLR(optim.SGD([p], lr=0.1), 2).step()
to_epoch(optim.SGD([p], lr=0.1))
(lambda o: (lambda s: [setattr(o, "step", lambda: None), s.step()])(S.StepLR(o, 2)))(optim.SGD([p], lr=0.1))
(lambda o: sorted(S.CyclicLR(o, 0.1, 0.2).state_dict().items()))(optim.SGD([p], lr=0.1, momentum=0.9))
(lambda o: (S.OneCycleLR(o, 0.1, 10) and o))(optim.SGD([p], lr=0.1, momentum=0.9))
(lambda o: (S.CosineAnnealingLR(o, 10) and o))(optim.AdamW([p], lr=0.1))
""".strip().splitlines()


def outcome(lib: Any, source: str) -> list[str]:
    """What is printed and warned of, and the result, or the error."""
    names = {"torch": lib, "optim": lib.optim, "copy": copy}
    names["base"] = importlib.import_module(f"{lib.optim.__name__}.optimizer")
    exec(SETUP.replace("from torch import optim\n", ""), names)
    printed = io.StringIO()
    with warnings.catch_warnings(record=True) as told, contextlib.redirect_stdout(printed):
        warnings.simplefilter("always")
        try:
            result = eval(source, names)
            shown = (
                repr(result) if not isinstance(result, lib.optim.lr_scheduler.LRScheduler) else "a scheduler"
            )
        except Exception as error:
            shown = f"{type(error).__name__}: {error}"
    return [printed.getvalue(), *[f"{w.category.__name__}: {w.message}" for w in told], shown]
