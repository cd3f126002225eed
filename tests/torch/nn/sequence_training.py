"""Which networks of sequences are trained for a comparison with PyTorch? A language model, and attention."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from .recurrent_cases import described, fill

TOKENS, WIDTH, SIZE, LENGTH, BATCH, STEPS = 11, 6, 8, 7, 3, 20
BOUNDS = {"float64": 1e-10, "float32": 1e-4}


def language_model(torch: Any, cell: str = "LSTM") -> Any:
    """The next token after each of a sequence, by a recurrent network of two layers."""
    nn = torch.nn

    class Model(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(TOKENS, WIDTH)
            self.cells = getattr(nn, cell)(WIDTH, SIZE, num_layers=2)
            self.norm = nn.LayerNorm(SIZE)
            self.head = nn.Linear(SIZE, TOKENS)

        def forward(self, tokens: Any) -> Any:
            out, _ = self.cells(self.embedding(tokens))
            return self.head(self.norm(out))

    return Model()


def transformer(torch: Any, norm_first: bool = False) -> Any:
    """The same by a block of attention written out: nothing but what lies before may be used."""
    nn, F = torch.nn, torch.nn.functional

    class Model(nn.Module):  # type: ignore[misc, name-defined]
        def __init__(self) -> None:
            super().__init__()
            self.embedding = nn.Embedding(TOKENS, WIDTH)
            self.attention = nn.MultiheadAttention(WIDTH, 2, batch_first=True)
            self.norm1, self.norm2 = nn.LayerNorm(WIDTH), nn.LayerNorm(WIDTH)
            self.up, self.down = nn.Linear(WIDTH, 4 * WIDTH), nn.Linear(4 * WIDTH, WIDTH)
            self.head = nn.Linear(WIDTH, TOKENS)

        def attend(self, x: Any) -> Any:
            later = torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).triu(1)
            return self.attention(x, x, x, attn_mask=later, need_weights=norm_first)[0]

        def forward(self, tokens: Any) -> Any:
            x = self.embedding(tokens)
            if norm_first:
                x = x + self.attend(self.norm1(x))
                x = x + self.down(F.gelu(self.up(self.norm2(x))))
            else:
                x = self.norm1(x + self.attend(x))
                x = self.norm2(x + self.down(F.relu(self.up(x))))
            return self.head(x)

    return Model()


NETWORKS: dict[str, Callable[[Any], Any]] = {
    "LSTM": language_model,
    "GRU": lambda torch: language_model(torch, "GRU"),
    "RNN": lambda torch: language_model(torch, "RNN"),
    "transformer": transformer,
    "transformer, normalised first": lambda torch: transformer(torch, True),
}
OPTIMISERS: dict[str, Callable[[Any, Any], Any]] = {
    "SGD": lambda torch, p: torch.optim.SGD(p, lr=0.1, momentum=0.9),
    # its step for a gradient of rounding errors only is small with this eps
    "Adam": lambda torch, p: torch.optim.Adam(p, lr=0.01, eps=1e-4),
}


def trained(torch: Any, network: str, optimiser: str, dtype: str) -> dict[str, Any]:
    """All losses, and numbers that describe every parameter after 1 and 20 steps."""
    model = NETWORKS[network](torch).to(getattr(torch, dtype))
    fill(torch, model)
    tokens = torch.tensor(np.random.RandomState(0).randint(0, TOKENS, (LENGTH + 1, BATCH)))
    first = tokens[:-1] if network in ("LSTM", "GRU", "RNN") else tokens[:-1].T
    target = (tokens[1:] if network in ("LSTM", "GRU", "RNN") else tokens[1:].T).reshape(-1)
    optim = OPTIMISERS[optimiser](torch, model.parameters())
    losses, states = [], []
    for step in range(STEPS):
        optim.zero_grad()
        loss = torch.nn.functional.cross_entropy(model(first).reshape(-1, TOKENS), target)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optim.step()
        losses.append(loss.item())
        if step in (0, STEPS - 1):
            states.append({name: described(p.detach().numpy()) for name, p in model.named_parameters()})
    return {"losses": losses, "states": states}
