"""Kyverno policies that set proxy variables on pods.

policies      the target: which objects, and what is said about a policy as a whole
generated     the policy that inject-proxy writes itself
rules         which entries of ``env`` the rules of a ClusterPolicy or Policy set
rule_site     one rule, read and written
rule_checks   what a person should look at in a rule
cel           which literals of the expressions of a MutatingPolicy are values
cel_site      the expressions of a MutatingPolicy, read and written
"""
