"""Does a residual network train, load and freeze as in PyTorch?"""

import functools

import numpy as np

from benchmarks.training import filled, resnet_module
from tests.eager.rows.case import raises, tree
from tests.eager.rows.layers import double


def full(torch):
    return resnet_module(torch).resnet18()


def narrow(torch, seed=0, classes=10):
    """The same network with a sixteenth of the channels, in float64; ``seed`` gives its weights."""
    module = resnet_module(torch)
    return filled(torch, module.ResNet(module.BasicBlock, [2, 2, 2, 2], classes, width=4), "float64", seed)


@functools.cache
def one_step(torch):
    """What the first block of note 004 does, and what it leaves."""
    model = full(torch)
    data, labels = torch.rand(1, 3, 64, 64), torch.rand(1, 1000)
    prediction = model(data)
    loss = (prediction - labels).sum()
    loss.backward()
    before = [p.detach().clone() for p in model.parameters()]
    gradients = [p.grad.clone() for p in model.parameters()]
    torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9).step()
    return model, prediction, loss, before, gradients


def s004_001(torch):
    model, prediction, *_ = one_step(torch)
    sizes = [p.numel() for p in model.parameters()]
    return tuple(prediction.shape), type(prediction.grad_fn).__name__, sum(sizes), len(sizes)


def s004_002(torch):
    model, _, loss, _, gradients = one_step(torch)
    fit = [p.grad.shape == p.shape for p in model.parameters()]
    return tuple(loss.shape), all(fit), gradients[-1].tolist() == [1.0] * 1000, tree(loss.grad_fn)[:40]


def s004_003(torch):
    model, _, _, before, gradients = one_step(torch)
    moved = [
        torch.allclose(p, old - 1e-2 * g, rtol=1e-5, atol=1e-6)
        for p, old, g in zip(model.parameters(), before, gradients)
    ]
    return len(moved), all(moved)


def s004_004(torch):
    state = full(torch).state_dict()
    return len(state), list(state), [tuple(value.shape) for value in state.values()]


def s004_005(torch):
    one, other = narrow(torch), narrow(torch, seed=1)
    x = torch.tensor(double(2, 3, 32, 32))
    one(x)  # moves the running statistics
    said = other.load_state_dict(one.state_dict())
    one.eval(), other.eval()
    return str(said), one(x).tolist(), torch.equal(one(x), other(x))


def s004_027(torch):
    model = narrow(torch)
    for param in model.parameters():
        param.requires_grad = False
    y = model(torch.tensor(double(2, 3, 32, 32)))
    return y.requires_grad, raises(y.sum().backward, "element 0 of tensors does not require grad")


def frozen_with_new_classifier(torch):
    model = narrow(torch)
    for param in model.parameters():
        param.requires_grad = False
    model.fc = filled(torch, torch.nn.Linear(32, 10), "float64", seed=3)
    return model


def s004_028(torch):
    model = frozen_with_new_classifier(torch)
    names = [name for name, _ in model.named_parameters()]
    learning = [name for name, p in model.named_parameters() if p.requires_grad]
    children = [name for name, _ in model.named_children()]
    y = model(torch.tensor(double(2, 3, 32, 32)))
    return names, learning, children, tuple(y.shape), tree(y.grad_fn)


def s004_029(torch):
    model = frozen_with_new_classifier(torch)
    optimizer = torch.optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    before = [p.detach().clone() for p in model.parameters()]
    x, y = torch.tensor(double(4, 3, 32, 32)), torch.tensor([1, 2, 3, 4])
    losses = []
    for _ in range(3):
        optimizer.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(x), y)
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    moved = [n for (n, p), old in zip(model.named_parameters(), before) if not torch.equal(p, old)]
    return losses, moved, [n for n, p in model.named_parameters() if p.grad is not None]


def s004_030(torch):
    model = frozen_with_new_classifier(torch)
    model(torch.tensor(double(2, 3, 32, 32)))
    moved = model.bn1.running_mean.tolist(), model.bn1.num_batches_tracked.item()
    model.eval()
    model(torch.tensor(double(2, 3, 32, 32)))
    return moved, model.bn1.running_mean.tolist(), model.bn1.num_batches_tracked.item()


def s004_031(torch):
    model = narrow(torch)
    x, y = torch.tensor(double(4, 3, 64, 64)), torch.tensor([1, 2, 3, 4])
    parameters = list(model.parameters())

    def loss():
        return torch.nn.functional.cross_entropy(model(x), y)

    gradients = torch.autograd.grad(loss(), parameters)
    seen = []
    for seed in range(3):
        draw = np.random.RandomState(seed)
        way = [torch.tensor(draw.normal(size=tuple(p.shape))) for p in parameters]
        analytic = sum((g * v).sum().item() for g, v in zip(gradients, way))
        values = []
        with torch.no_grad():
            for step in (1e-7, -1e-7):
                for p, v in zip(parameters, way):
                    p += step * v
                values.append(loss().item())
                for p, v in zip(parameters, way):
                    p -= step * v
        numeric = (values[0] - values[1]) / 2e-7
        seen.append((abs(numeric - analytic) < 1e-4 * max(1.0, abs(analytic)), round(analytic, 5)))
    return seen
