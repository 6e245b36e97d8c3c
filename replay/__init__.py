"""The log folded again: other points of the past, other constants, and what would differ.

A view of a past point and a counterfactual are folds of `projections`; here two of them are compared.
Nothing here writes, and nothing reads a clock: a replay may be broken off at any point and begun again.
"""
