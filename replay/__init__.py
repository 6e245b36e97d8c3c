"""The log folded again: other points of the past, other constants, and what would differ.

A view of a past point and a counterfactual are `projections.catalog.Catalog.fold`;
comparing two folds and searching for better constants will live here.
"""
