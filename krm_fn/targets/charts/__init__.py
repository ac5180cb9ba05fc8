"""Charts: the proxy among the values of charts that a HelmRelease or an Application installs."""
