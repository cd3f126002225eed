"""Do optimisers move parameters as PyTorch's, and refuse what PyTorch's refuse?"""

import threading

import numpy as np

from tests.eager.rows.case import each, leaf, raises
from tests.eager.rows.layers import double


def s001_021(torch):
    x = torch.tensor([[1.0, 2.0], [2.0, -1.0], [0.5, 0.5], [-1.0, 1.0]])
    y = x @ torch.tensor([[2.0], [-3.0]]) + 1.0
    model = torch.nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(1000):
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(x), y)
        loss.backward()
        optimizer.step()
    near = [
        torch.allclose(p, torch.tensor(v), atol=1e-4)
        for p, v in zip(model.parameters(), ([[2.0, -3.0]], [1.0]))
    ]
    return near, loss.item() < 1e-8, [type(p).__name__ for p in model.parameters()]


def s003_019(torch):
    target = torch.tensor([[1.0, -2.0, 0.5]], dtype=torch.float64)
    model = torch.nn.Linear(3, 1, bias=False).double()
    errors = []

    def work(seed):
        try:
            draw = np.random.RandomState(seed)
            for _ in range(200):
                x = torch.tensor(draw.normal(size=(8, 3)))
                loss = torch.nn.functional.mse_loss(model(x), x @ target.t())
                (gradient,) = torch.autograd.grad(loss, [model.weight])
                with torch.no_grad():
                    model.weight -= 0.05 * gradient
        except Exception as error:
            errors.append(error)

    threads = [threading.Thread(target=work, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return errors, torch.allclose(model.weight, target, atol=1e-4)


def two_layers_with_gradients(torch):
    model = torch.nn.Sequential(torch.nn.Linear(2, 1), torch.nn.Linear(1, 1))
    model(torch.ones(1, 2)).sum().backward()
    return model


def s003_038(torch):
    model = two_layers_with_gradients(torch)
    model.zero_grad()
    none = [p.grad is None for p in model.parameters()]
    model(torch.ones(1, 2)).sum().backward()
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    optimizer.zero_grad(set_to_none=False)
    zeros = [p.grad.tolist() for p in model.parameters()]
    optimizer.zero_grad()
    after = [p.grad is None for p in model.parameters()]
    model(torch.ones(1, 2)).sum().backward()
    model.zero_grad(set_to_none=False)
    return none, zeros, after, [p.grad.tolist() for p in model.parameters()]


def s003_039(torch):
    model = two_layers_with_gradients(torch)
    torch.optim.SGD(model[1].parameters(), lr=0.1).zero_grad()
    some = [p.grad is None for p in model.parameters()]
    model.zero_grad()
    return some, [p.grad is None for p in model.parameters()]


SGD = {
    "plain": {},
    "momentum": {"momentum": 0.9},
    "nesterov": {"momentum": 0.9, "nesterov": True},
    "dampening": {"momentum": 0.9, "dampening": 0.5},
    "weight decay": {"momentum": 0.5, "weight_decay": 0.1},
    "maximize": {"maximize": True},
}


@each({name: (options,) for name, options in SGD.items()})
def s004_017(torch, options):
    w = leaf(torch, [0.5, -2.0, 3.0], "float64")
    optimizer = torch.optim.SGD([w], lr=0.1, **options)
    for step in range(5):
        optimizer.zero_grad()
        ((w - 1.0) ** 2 * torch.tensor([1.0, 0.5, 0.1 * step], dtype=torch.float64)).sum().backward()
        optimizer.step()
    return w, repr(optimizer)


def quadratic(torch, w):
    return ((w * w).sum() + (w[0] * w[1]).sin()) * 0.5


OTHERS = {
    "Adam": {},
    "Adam amsgrad": {"amsgrad": True, "weight_decay": 0.1},
    "AdamW": {"betas": (0.8, 0.95)},
    "RMSprop": {"momentum": 0.5, "centered": True},
    "Adagrad": {"lr_decay": 0.1},
    "LBFGS": {"max_iter": 5},
}


@each({name: (name.split()[0], options) for name, options in OTHERS.items()})
def s004_017_others(torch, name, options):
    w = leaf(torch, [0.5, -2.0, 3.0], "float64")
    optimizer = getattr(torch.optim, name)([w], lr=0.1, **options)
    losses = []

    def closure():
        optimizer.zero_grad()
        loss = quadratic(torch, w)
        loss.backward()
        losses.append(loss.item())
        return loss

    for _ in range(5):
        optimizer.step(closure)
    return w, losses, repr(optimizer), sorted(optimizer.state_dict()["param_groups"][0])


def s004_018(torch):
    a, b, c = leaf(torch, [1.0, 2.0]), leaf(torch, [3.0, 4.0]), leaf(torch, [3.0, 4.0])
    optimizer = torch.optim.SGD([{"params": [a, b]}, {"params": [c], "lr": 1.0}], lr=0.1, momentum=0.5)

    def closure():
        optimizer.zero_grad()
        loss = (2 * a).sum() + (0.5 * c).sum()
        loss.backward()
        return loss

    loss = optimizer.step(closure)
    rates = [group["lr"] for group in optimizer.param_groups]
    state = optimizer.state_dict()
    return rates, a, b, c, loss, optimizer.state[a]["momentum_buffer"], b in optimizer.state, list(state)


def s004_018_state(torch):
    def run(steps, state=None):
        w = leaf(torch, [1.0, -2.0], "float64")
        optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
        if state is not None:
            with torch.no_grad():
                w.copy_(state[0])
            optimizer.load_state_dict(state[1])
        for _ in range(steps):
            optimizer.zero_grad()
            quadratic(torch, w).backward()
            optimizer.step()
        return w.detach().clone(), optimizer.state_dict()

    half = run(3)
    buffer = half[1]["state"][0]["momentum_buffer"].clone()
    return (
        run(6)[0],
        run(3, half)[0],
        buffer,
        half[1]["param_groups"][0]["params"],
    )


def s004_019(torch):
    w = leaf(torch, [1.0, 2.0])
    sgd = torch.optim.SGD
    return (
        raises(lambda: sgd([], lr=0.1), "optimizer got an empty parameter list"),
        raises(lambda: sgd([w * 2], lr=0.1), "can't optimize a non-leaf Tensor"),
        raises(lambda: sgd([w], lr=-1), "Invalid learning rate: -1"),
        raises(
            lambda: sgd(w, lr=0.1),
            "params argument given to the optimizer should be an iterable of Tensors or dicts",
        ),
        raises(
            lambda: sgd([w], lr=0.1, nesterov=True),
            "Nesterov momentum requires a momentum and zero dampening",
        ),
    )


SCHEDULES = {
    "StepLR": {"step_size": 3, "gamma": 0.5},
    "MultiStepLR": {"milestones": [2, 5]},
    "ExponentialLR": {"gamma": 0.9},
    "CosineAnnealingLR": {"T_max": 8, "eta_min": 0.01},
    "OneCycleLR": {"max_lr": 0.5, "total_steps": 12},
}


@each({name: (name, options) for name, options in SCHEDULES.items()})
def more_schedules(torch, name, options):
    w = leaf(torch, [1.0])
    optimizer = torch.optim.SGD([w], lr=0.1, momentum=0.9)
    scheduler = getattr(torch.optim.lr_scheduler, name)(optimizer, **options)
    rates = []
    for _ in range(11):
        rates.append((optimizer.param_groups[0]["lr"], optimizer.param_groups[0]["momentum"]))
        optimizer.step()
        scheduler.step()
    return rates, scheduler.get_last_lr()


def more_plateau(torch):
    optimizer = torch.optim.SGD([leaf(torch, [1.0])], lr=0.1)
    scheduler = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, factor=0.5, patience=1)
    rates = []
    for loss in (3.0, 2.0, 2.0, 2.0, 2.0, 1.0, 1.0, 1.0):
        scheduler.step(loss)
        rates.append(optimizer.param_groups[0]["lr"])
    return rates


def more_clipping(torch):
    layer = torch.nn.Linear(3, 2).double()
    (layer(torch.tensor(double(4, 3))) * 10).sum().backward()
    norm = torch.nn.utils.clip_grad_norm_(layer.parameters(), 1.0)
    flat = torch.nn.utils.parameters_to_vector(layer.parameters())
    torch.nn.utils.vector_to_parameters(torch.arange(8.0, dtype=torch.float64), layer.parameters())
    return norm, [p.grad for p in layer.parameters()], tuple(flat.shape), layer.weight, layer.bias
