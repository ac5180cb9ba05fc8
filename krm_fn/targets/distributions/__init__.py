"""Distributions and products with one place each, as the rows of a table say."""
