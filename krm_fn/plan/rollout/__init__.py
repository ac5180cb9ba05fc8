"""New names of objects so that nodes roll: templates, and Secrets with drop-ins."""

from __future__ import annotations

from krm_fn.plan.rollout.naming import RolloutNote
from krm_fn.plan.rollout.secrets import secret_names
from krm_fn.plan.rollout.templates import template_names

__all__ = ["RolloutNote", "secret_names", "template_names"]
