"""Giant Swarm: Apps, values of charts, clusters and installations, and the Secret with the drop-ins of nodes."""
