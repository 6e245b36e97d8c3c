"""The text projection: which words a text has, and how well they fit a query."""
