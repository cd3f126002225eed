"""Facts about IR, kept in side tables."""
