"""How is a network trained, and fine-tuned for another task? A ResNet-18 learns letters, then digits.

    python examples/fine_tune.py                             # a minute or two, mostly for the letters
    python examples/fine_tune.py --weights letters.pth       # the backbone from an earlier run
    python examples/fine_tune.py --weights resnet18.safetensors
    python examples/fine_tune.py --quick                     # all steps, briefly; it learns little

1. One training step of a ResNet-18: prediction, loss, backward pass, step of the optimiser.
2. A backbone. Published weights would do (``--weights``); without any, the network learns printed letters (it
   never sees a digit) and is saved as letters.pth.
3. The backbone is frozen, the classifier replaced, and this is trained on scikit-learn's handwritten digits.

Writes fine_tune.png, the curve of the loss.
"""

import argparse
import sys
import time

import numpy as np
from letters import LETTERS, letters
from matplotlib.figure import Figure
from resnet18 import resnet18, weights
from scipy import ndimage
from sklearn.datasets import load_digits

import ast_ad as torch

nn, optim = torch.nn, torch.optim
SHIFTS = [(0, 0), (2, 0), (-2, 0), (0, 2), (0, -2)]  # digits are shown as they are, and moved a little


class Progress:
    """A bar that grows in a terminal; elsewhere, only the line that it ends with."""

    def __init__(self, title, total):
        self.title, self.total, self.done, self.start = title, total, 0, time.perf_counter()

    def advance(self, note):
        self.done += 1
        last = self.done == self.total
        if not last and not sys.stdout.isatty():
            return
        filled = 30 * self.done // self.total
        bar = "█" * filled + "·" * (30 - filled)
        seconds = time.perf_counter() - self.start
        line = f"{self.title} {bar} {self.done}/{self.total} in {seconds:.0f} s, {note}"
        print(f"\r{line}" if sys.stdout.isatty() else line, end="\n" if last else "", flush=True)


def one_training_step():
    """Prediction, loss, backward pass, and a step of gradient descent with momentum."""
    model = resnet18()
    data = torch.rand(1, 3, 64, 64)
    labels = torch.rand(1, 1000)
    prediction = model(data)  # forward pass
    loss = (prediction - labels).sum()
    loss.backward()  # backward pass
    optimizer = optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)
    optimizer.step()  # gradient descent
    print(f"one training step: the loss was {loss.item():.2f}", end=", ")
    print(f"it is {(model(data) - labels).sum().item():.2f} now")


def prepared(images):
    """8x8 images with entries from 0 to 16 as a network wants them: 3x32x32, about standardised."""
    large = ndimage.zoom(images / 16, (1, 4, 4), order=1, mode="nearest", grid_mode=True)
    gray = torch.tensor((large - 0.3) / 0.37, dtype=torch.float32)
    return gray[:, None].expand(-1, 3, -1, -1)


def batches(count, size):
    """The numbers below ``count`` in a random order, ``size`` at a time."""
    order = torch.randperm(count)
    return [order[i : i + size] for i in range(0, count - size + 1, size)]


def train(title, model, x, y, optimizer, epochs, scheduler=None, size=32):
    """The losses of all steps; ``model`` is what gives the classes' scores for a batch."""
    losses, bar = [], Progress(title, epochs * (len(x) // size))
    for _ in range(epochs):
        for batch in batches(len(x), size):
            optimizer.zero_grad()
            loss = nn.functional.cross_entropy(model(x[batch]), y[batch])
            loss.backward()
            optimizer.step()
            if scheduler is not None:
                scheduler.step()
            losses.append(loss.item())
            bar.advance(f"loss {np.mean(losses[-20:]):.3f}")
    return losses


def learn_letters(count, seed, path):
    """A ResNet-18 that has seen ``count`` deformed letters, each once; saved as ``path``."""
    print(f"no --weights: the backbone learns from {count} printed letters, deformed")
    images, labels = letters(count, seed)
    model = resnet18(num_classes=len(LETTERS))
    optimizer = optim.SGD(model.parameters(), lr=0.02, momentum=0.9, weight_decay=5e-4)
    scheduler = optim.lr_scheduler.OneCycleLR(optimizer, max_lr=0.02, total_steps=count // 32)
    losses = train("letters", model, prepared(images), torch.tensor(labels), optimizer, 1, scheduler)
    torch.save(model.state_dict(), path)
    print(f"{path} holds the weights")
    return losses


def features(model, x):
    """What the backbone makes of the images. It is frozen, so that once is enough for all epochs."""
    model.eval()
    bar = Progress("features", -(-len(x) // 128))
    parts = []
    with torch.no_grad():
        for i in range(0, len(x), 128):
            parts.append(model.features(x[i : i + 128]))
            bar.advance(f"{min(len(x), i + 128)} images")
    return torch.cat(parts)


def fine_tune(path, epochs, seed, count):
    """The losses while a new classifier on the backbone from ``path`` learns digits, and its accuracy."""
    state = weights(path)
    model = resnet18(num_classes=len(state["fc.bias"]))
    print(f"{path}: {model.load_state_dict(state)}")
    for param in model.parameters():  # freeze all the parameters in the network
        param.requires_grad = False
    model.fc = nn.Linear(512, 10)  # a new classifier, which is not frozen
    optimizer = optim.SGD(model.parameters(), lr=1e-2, momentum=0.9)  # moves the classifier only

    digits = load_digits()
    order = np.random.default_rng(seed).permutation(len(digits.target))[:count]
    images, y = prepared(digits.images[order]), torch.tensor(digits.target[order])
    held_back = len(order) // 5
    shown = [torch.roll(images[held_back:], shift, (2, 3)) for shift in SHIFTS]
    x = features(model, torch.cat([images[:held_back], *shown]))
    labels = y[held_back:].repeat(len(SHIFTS))
    losses = train("digits", model.fc, x[held_back:], labels, optimizer, epochs)
    with torch.no_grad():
        right = model.fc(x[:held_back]).argmax(1) == y[:held_back]
    print(f"accuracy on {held_back} digits that were held back: {100 * right.float().mean().item():.1f} %")
    return losses


def plot(curves, path):
    figure = Figure(figsize=(8, 3.5), layout="constrained")
    for ax, (title, losses) in zip(
        np.atleast_1d(figure.subplots(1, len(curves))), curves.items(), strict=True
    ):
        smooth = np.convolve(losses, np.ones(20) / 20, "valid") if len(losses) > 40 else losses
        ax.plot(losses, color="0.8", label="each step")
        ax.plot(np.arange(len(smooth)) + len(losses) - len(smooth), smooth, label="mean of 20")
        ax.set(title=title, xlabel="step", ylabel="cross entropy", ylim=(0, None))
        ax.legend()
    figure.savefig(path, dpi=120)
    print(f"{path} shows the losses")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--epochs", type=int, default=8, help="passes over the digits (default: 8)")
    parser.add_argument("--weights", metavar="FILE", help="a ResNet-18's, .pth or .safetensors")
    parser.add_argument("--seed", type=int, default=0, help="of all random numbers (default: 0)")
    parser.add_argument("--quick", action="store_true", help="few letters and few digits")
    options = parser.parse_args()
    torch.manual_seed(options.seed)
    start, curves, path = time.perf_counter(), {}, options.weights
    one_training_step()
    if path is None:
        path = "letters.pth"
        curves["letters, the whole network"] = learn_letters(
            320 if options.quick else 8000, options.seed, path
        )
    digits = 200 if options.quick else None
    curves["digits, the classifier"] = fine_tune(path, options.epochs, options.seed, digits)
    plot(curves, "fine_tune.png")
    print(f"{time.perf_counter() - start:.0f} s in all")


if __name__ == "__main__":
    main()
