"""How does a loop become a region, and what does it carry?"""
