"""Text formats that objects carry in their values. Nothing here knows about proxies."""
