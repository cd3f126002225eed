"""What is true of a piece of IR? Facts about it, kept in side tables."""
