"""Kyverno policies that set proxy variables on pods.

policies        the target: which objects, and the findings about a policy as a whole
generated       the policy that inject-proxy writes itself
policy_entries  the entries of a policy, read and filled: alike for rules and expressions
rules           which entries of ``env`` the rules of a ClusterPolicy or Policy set
rule_forms      how the entries of one rule are written
cel             which literals of the expressions of a MutatingPolicy are values
cel_form        how these literals are written
checks          findings about policies that do not do as their author wants
"""
