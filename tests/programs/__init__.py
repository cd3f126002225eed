"""Random programs: what a user might write, checked against finite differences."""
