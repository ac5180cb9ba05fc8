"""New names of objects so that nodes roll: templates, and Secrets with drop-ins."""
