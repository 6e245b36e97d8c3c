"""Answering questions from the projections: what may be seen, what fits, in which order, and why."""
