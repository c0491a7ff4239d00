"""The page: one file that a colleague can open."""
