"""Fuzzers of the function and of its commands: `make fuzz`.

A part makes an input from a random number and judges what becomes of it. An input is a text, so that what is found can
be made smaller and kept: `corpus/<part>/` holds what was found once, and ``tests/repository/test_fuzz.py`` judges all
of it again.
"""
