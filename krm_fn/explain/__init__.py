"""Who gets which proxy, and why: one answer as data (``answer``), shown as text, as a page and as JSON."""
