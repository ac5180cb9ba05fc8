"""A run: bytes in, bytes and results out. ``run`` is its flow on one screen."""
