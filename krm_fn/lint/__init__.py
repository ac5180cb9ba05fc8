"""Everything that judges values, whoever wrote them; it knows no run.

judge_values   a list of NO_PROXY, and the URL of a proxy
judge_places   the proxy variables in the places of one object, and those of a ProxyConfig
"""
