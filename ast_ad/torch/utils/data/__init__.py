"""Where are PyTorch's ``torch.utils.data`` names? Data sets, samplers, and the loader of batches.

>>> import ast_ad
>>> from ast_ad.utils.data import DataLoader, TensorDataset
>>> numbers = TensorDataset(ast_ad.arange(5), ast_ad.arange(5) ** 2)
>>> [squares.tolist() for _, squares in DataLoader(numbers, batch_size=2)]
[[0, 1], [4, 9], [16]]
"""

from . import collate, dataloader, dataset, sampler
from .collate import default_collate, default_convert
from .dataloader import DataLoader, get_worker_info
from .dataset import (
    ChainDataset,
    ConcatDataset,
    Dataset,
    IterableDataset,
    StackDataset,
    Subset,
    TensorDataset,
    random_split,
)
from .sampler import (
    BatchSampler,
    RandomSampler,
    Sampler,
    SequentialSampler,
    SubsetRandomSampler,
    WeightedRandomSampler,
)

__all__ = [
    "BatchSampler",
    "ChainDataset",
    "ConcatDataset",
    "DataLoader",
    "Dataset",
    "IterableDataset",
    "RandomSampler",
    "Sampler",
    "SequentialSampler",
    "StackDataset",
    "Subset",
    "SubsetRandomSampler",
    "TensorDataset",
    "WeightedRandomSampler",
    "collate",
    "dataloader",
    "dataset",
    "default_collate",
    "default_convert",
    "get_worker_info",
    "random_split",
    "sampler",
]
