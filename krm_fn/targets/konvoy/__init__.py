"""Konvoy: the overrides of its Image Builder."""
