"""Does an averaged model follow the one that is trained? By means, moving averages, with its statistics."""

import math

import pytest

import ast_ad as torch
from ast_ad.torch.optim import swa_utils


def trained(model, values):
    for value in values:
        with torch.no_grad():
            for p in model.parameters():
                p.fill_(value)
        yield model


@pytest.mark.parametrize(
    "options,expected",
    [
        ({}, 3.0),
        ({"avg_fn": swa_utils.get_swa_avg_fn()}, 3.0),
        ({"multi_avg_fn": swa_utils.get_swa_multi_avg_fn()}, 3.0),
        ({"avg_fn": swa_utils.get_ema_avg_fn(0.5)}, 3.75),
        ({"multi_avg_fn": swa_utils.get_ema_multi_avg_fn(0.5)}, 3.75),
    ],
)
def test_averages(options, expected):
    model = torch.nn.Linear(2, 3)
    average = swa_utils.AveragedModel(model, **options)
    for one in trained(model, (1.0, 2.0, 6.0)):
        average.update_parameters(one)
    assert set(average.module.weight.detach().flatten().tolist()) == {expected}
    assert [*average.state_dict()] == ["n_averaged", "module.weight", "module.bias"]
    assert average.n_averaged.item() == 3 and average.module.weight.requires_grad


def test_statistics_of_the_average_are_computed_anew():
    model = torch.nn.Sequential(torch.nn.BatchNorm1d(1))
    average = swa_utils.AveragedModel(model)
    average.eval()
    batches = [torch.tensor([[0.0], [2.0]]), torch.tensor([[4.0], [6.0]])]
    swa_utils.update_bn([(batch, "label") for batch in batches], average)
    assert average.module[0].running_mean.tolist() == [3.0]
    assert average.module[0].momentum == 0.1 and not average.training


@pytest.mark.parametrize("strategy", ["cos", "linear"])
def test_rates_go_to_their_goal(strategy):
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    scheduler = swa_utils.SWALR(optimizer, 0.2, anneal_epochs=4, anneal_strategy=strategy)
    for epoch in range(1, 7):
        optimizer.step()
        scheduler.step()
        t = min(1, epoch / 4)
        part = t if strategy == "linear" else (1 - math.cos(math.pi * t)) / 2
        assert scheduler.get_last_lr()[0] == pytest.approx(1.0 - 0.8 * part, abs=1e-12)


def test_what_is_refused():
    with pytest.raises(ValueError, match="Invalid decay value 2 provided"):
        swa_utils.get_ema_multi_avg_fn(2)
    mean = swa_utils.get_swa_avg_fn()
    with pytest.raises(AssertionError, match="Only one of avg_fn and multi_avg_fn"):
        swa_utils.AveragedModel(torch.nn.Linear(1, 1), avg_fn=mean, multi_avg_fn=mean)
    optimizer = torch.optim.SGD([torch.zeros(1, requires_grad=True)], lr=1.0)
    with pytest.raises(ValueError, match="anneal_strategy must be one of"):
        swa_utils.SWALR(optimizer, 0.1, anneal_strategy="square")
    with pytest.raises(ValueError, match="anneal_epochs must be equal or greater than 0, got -1"):
        swa_utils.SWALR(optimizer, 0.1, anneal_epochs=-1)
