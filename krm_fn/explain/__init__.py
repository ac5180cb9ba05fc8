"""Explain who gets which proxy, and why: one answer as data, shown as text, as a page and as JSON.

answer           the whole answer
grants           who gets which proxy, and why each entry of its list is there
hosts            which programs reach which host directly; `clients` has a row for each program
cluster_answers  the proxies of each Cluster, and the parts without one
node_changes     which nodes are replaced
sections         the answer as titles, lines and tables, which `text` and `html` show
"""
