"""Every page that is written from what the code says of itself."""

from __future__ import annotations

import correctness
import file_formats
import gallery
import measures
import methods
import models
import options
import presets


def pages() -> dict[str, str]:
    """The pages as Markdown, by their paths in the directory of documents."""
    made = {"measures": measures.page(), "presets": presets.page(), "statistics": methods.page()}
    made |= {"gallery": gallery.page(), "options": options.page(), "formats": file_formats.page()}
    made |= {f"models/{name}": text for name, text in models.pages().items()}
    made["correctness"] = correctness.page()  # last: it imports tests, which make measures
    return {f"{name}.md": text for name, text in made.items()}
