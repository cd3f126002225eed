"""What is different in inference mode?"""

from tests.eager.rows.case import each, leaf, raises
from tests.eager.rows.modes import state

SAVED = "Inference tensors cannot be saved for backward"
STALE = "has been modified by an inplace operation"


def s000_074(torch):
    x = leaf(torch, [1.0, 2.0])
    with torch.inference_mode():
        y = x * 2
        made = torch.ones(2)
        flag = torch.is_inference_mode_enabled(), torch.is_grad_enabled()
    return y.is_inference(), state(y), y, made.is_inference(), x.is_inference(), flag


def s000_075(torch):
    x = leaf(torch, [1.0, 2.0])
    with torch.inference_mode():
        s = torch.tensor([3.0, 6.0])
    refused = raises(lambda: x * s, SAVED, "you can make a clone to get a normal tensor")
    (x * s.clone()).sum().backward()
    return refused, x.grad


SAVING = {
    "mul": lambda torch, x, s: x * s,
    "rmul": lambda torch, x, s: s * x,
    "div": lambda torch, x, s: x / s,
    "pow": lambda torch, x, s: x**s,
    "matmul": lambda torch, x, s: x @ s,
    "pow base": lambda torch, x, s: s**x,
}


@each({name: (call,) for name, call in SAVING.items()})
def s000_075_more(torch, call):
    with torch.inference_mode():
        s = torch.tensor([3.0, 6.0])
    return raises(lambda: call(torch, leaf(torch, [1.0, 2.0]), s), SAVED)


FREE = {
    "add": lambda torch, x, s: x + s,
    "sub": lambda torch, x, s: s - x,
    "cat": lambda torch, x, s: torch.cat([x, s]),
    "stack": lambda torch, x, s: torch.stack([x, s]),
    "sum": lambda torch, x, s: x.sum() + s.sum(),
}


@each({name: (call,) for name, call in FREE.items()})
def s000_076(torch, call):
    x = leaf(torch, [1.0, 2.0])
    with torch.inference_mode():
        s = torch.tensor([3.0, 3.0])
    y = call(torch, x, s)
    y.sum().backward()
    return y, x.grad


def s000_077(torch):
    x = leaf(torch, [1.0, 2.0])
    with torch.inference_mode():
        s = torch.tensor([3.0, 3.0])
        inside = s.clone().is_inference()
    c = s.clone()
    (x * c).sum().backward()
    return inside, c.is_inference(), x.grad


def s000_078(torch):
    with torch.inference_mode():
        s = torch.ones(2)
        s.add_(1)
    inside = s.tolist()
    outside = raises(
        lambda: s.add_(1), "Inplace update to inference tensor outside InferenceMode is not allowed"
    )
    with torch.no_grad():
        still = raises(lambda: s.mul_(2), "Inplace update to inference tensor")
    return inside, outside, still


def s000_079(torch):
    with torch.inference_mode():
        s = torch.ones(2)
        inside = raises(lambda: s._version, "Inference tensors do not track version counter")
    part = "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed"
    method = raises(lambda: s.requires_grad_(), part)
    attribute = raises(lambda: setattr(s, "requires_grad", True), part)
    return method, attribute, raises(lambda: s._version, "do not track version counter"), inside


def s000_080(torch):
    x = leaf(torch, [1.0])
    with torch.inference_mode():
        with torch.enable_grad():
            first = x * 2
        with torch.inference_mode(False):
            second = x * 2
            mode = torch.is_inference_mode_enabled(), torch.is_grad_enabled()
    with torch.inference_mode(mode=False):
        third = x * 2
    return state(first), first.is_inference(), state(second), second.is_inference(), mode, state(third)


def s000_081(torch):
    x = leaf(torch, [1.0, 2.0])
    s = torch.ones(2)
    y = x * s
    with torch.inference_mode():
        s.add_(1)
    return s.is_inference(), s._version, raises(lambda: y.sum().backward(), STALE, "[torch.FloatTensor [2]]")


def s003_014(torch):
    w = leaf(torch, [1.0, 1.0])
    with torch.inference_mode():
        s = w * 2
    refused = raises(lambda: w * s, SAVED)
    with torch.no_grad():
        t = w * 2
    (w * t).sum().backward()
    return refused, w.grad


def more_inference_view(torch):
    x = torch.ones(3)
    with torch.inference_mode():
        v, s = x[:2], torch.ones(2)
    return (
        v.is_inference(),
        s[:1].is_inference(),
        (s + 1).is_inference(),
        raises(lambda: s[:1].add_(1), "Inplace"),
    )


def more_inference_detach(torch):
    with torch.inference_mode():
        s = torch.ones(2)
    return s.detach().is_inference(), s.sum(), (s * 2).is_inference(), s.requires_grad_(False).requires_grad
