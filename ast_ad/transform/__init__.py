"""From IR to IR."""
