"""From IR to Python source."""
