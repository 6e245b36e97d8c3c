"""Which memories are tied to which, and how."""
