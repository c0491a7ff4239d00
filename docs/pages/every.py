"""All pages that are generated from the code."""

from __future__ import annotations

import correctness
import file_formats
import gallery
import measures
import messages
import methods
import models
import options
import presets


def pages() -> dict[str, str]:
    """Return the pages as Markdown, by path in docs/."""
    made = {"measures": measures.page(), "presets": presets.page(), "statistics": methods.page()}
    made |= {
        "gallery": gallery.page(),
        "options": options.page(),
        "formats": file_formats.page(),
        "messages": messages.page(),
    }
    made |= {f"models/{name}": text for name, text in models.pages().items()}
    made["correctness"] = correctness.page()  # last: it imports tests, and they register measures
    return {f"{name}.md": text for name, text in made.items()}
