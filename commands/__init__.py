"""The write side: one module a verb, and the command line on top of them."""
