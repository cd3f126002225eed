"""The static tape: what a program is between source and source."""
