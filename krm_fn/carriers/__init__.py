"""The places that targets share: each one reads and writes the proxy in one form.

reading        what a place says about one variable
three_keys     three members of a mapping
certificates   a text of certificates
"""
