"""Helixlog: an event-sourced memory for agents."""
