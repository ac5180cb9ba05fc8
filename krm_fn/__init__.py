"""inject-proxy: a KRM function that writes a corporate HTTP proxy into the manifests that need to know it."""
