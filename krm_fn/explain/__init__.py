"""Who gets which proxy, and why: one answer as data, shown as text, as a page and as JSON.

grants    who gets which proxy, and why each entry of its list is there
hosts     which programs reach which host directly; `clients` has a row for each program
clusters  what each Cluster gets
names     names of Clusters and of their parts
nodes     which nodes are replaced
facts     what no manifest says of Clusters, as lines for a ProxyConfig
covered_table  what a run reaches, for a terminal
answer    all of it
sections  the answer as titles, lines and tables, which `text` and `html` show
"""
