"""inject-proxy: a KRM function that writes a corporate HTTP proxy into Kubernetes manifests."""
