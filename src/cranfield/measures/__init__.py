"""Every measure is its equation, its parameters and its citation."""
