"""Kyverno policies that set proxy variables on pods.

rules             where a ClusterPolicy or Policy sets variables
completion        what ``fill: Complete`` adds to a policy
cel               the reader of CEL: the structure of an expression
cel_tokens        its tokens
cel_nodes         look-ups on the structure
cel_text          CEL that is written
cel_policies      a MutatingPolicy around its expressions
compared          policies that are compared and never written
wrapped           policies inside other objects
values            a value: what of it is static, and what Kyverno computes
rule_site         one rule, read and written
json_patches      the texts of ``patchesJson6902``
cel_site   the expressions of a MutatingPolicy, read and written
cel_reader      which literals of them decide the values
cel_removal       what a removal takes out of them
checks            what a person should look at
convert           a ClusterPolicy or Policy as the MutatingPolicy that does the same
convert_match     which objects a rule is about, in CEL
convert_patches   what a rule does to ``env``
"""
