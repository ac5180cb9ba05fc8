from typing import NamedTuple
from krm_fn.krm.codes import CODES
from krm_fn.krm.results import Severity
from krm_fn.lint import values, places as pl
class Problem(NamedTuple):
    rule: str; severity: Severity; entry: str; message: str; corrected: str = ""
def _of(p): return Problem(p.code, CODES[p.code], p.entry, p.message, p.corrected)
def lint_list(text, *, audience, network=None, has_proxy=True, max_length=0):
    return [_of(p) for p in values.judge_list(text, audience, (network,) if network else (), has_proxy=has_proxy, max_length=max_length)]
def fix(text, *, audience=None, network=None, has_proxy=True, max_length=0):
    from krm_fn.noproxy import Audience
    return values.corrected_list(text, audience or Audience.NODE, (network,) if network else ())
def lint_proxy(url, *, no_proxy="", in_manifest=False): return [_of(p) for p in values.judge_url(url, in_secret=not in_manifest)]
def lint_pair(a,b): return [_of(p) for p in values.judge_pair(a,b)]
corrected_url = values.corrected_url
class Rule(NamedTuple):
    severity: Severity; about: str; has_fix: bool = False
LIST, PROXY, OBJECT, RUN = "list","proxy URL","object","run"
RULES = {c: Rule(s, LIST) for c,s in CODES.items()}
