"""Which loops run together, and how do they record what their adjoints read?"""
