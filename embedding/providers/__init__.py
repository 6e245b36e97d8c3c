"""Embedders that need a package of their own, each behind an extra of Helixlog.

None of them reads the environment: keys and model names are arguments.
"""
