"""How does IR become Python source?"""
