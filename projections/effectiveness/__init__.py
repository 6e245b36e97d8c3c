"""How well each memory has served: effectiveness, uses, hits, velocity, spread."""
