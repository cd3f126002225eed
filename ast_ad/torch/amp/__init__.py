"""What becomes of mixed precision? Operations keep their tensors' precision; losses can be scaled."""

from .autocast_mode import autocast, is_autocast_available
from .grad_scaler import GradScaler

__all__ = ["GradScaler", "autocast", "is_autocast_available"]
