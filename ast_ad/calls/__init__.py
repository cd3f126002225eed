"""What happens when a derivative is called? A program that fits is looked up, or compiled, and run.

``derivative`` answers calls, ``program`` is what was compiled for one kind of them.
"""
