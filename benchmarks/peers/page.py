"""Results as text."""
from typing import Any
def write_pages(found: dict[str, Any]) -> None:
    pass
