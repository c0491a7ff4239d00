"""Records: what was computed, from which files, with which options, and the result."""
