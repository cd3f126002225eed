"""What does a user see of a derivative? How it ran, its source, what it keeps, and why."""
