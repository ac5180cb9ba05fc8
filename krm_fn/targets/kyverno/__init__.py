"""Kyverno policies that set proxy variables on pods.

policies        the target: which objects, and the findings about a policy as a whole
generated       the policy that inject-proxy writes itself
policy_entries  the entries of a policy, read and filled: alike for rules and expressions
rules           the rules of a ClusterPolicy or Policy
cel             the CEL expressions of a MutatingPolicy
checks          findings about policies that do not do as their author wants
"""
