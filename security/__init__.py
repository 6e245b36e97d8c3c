"""What a text may not carry into memory: injected orders, credentials, hidden characters, ways out for data.

Pure functions of a text. What is done about a finding is decided above, in
`commands/screening.py`; docs/decisions/security-*.md has the reasons and figures.
"""

from .scanner import ALLOWABLE, CATEGORIES, Category, Finding, is_prescriptive, length_band, scan

__all__ = ["ALLOWABLE", "CATEGORIES", "Category", "Finding", "is_prescriptive", "length_band", "scan"]
