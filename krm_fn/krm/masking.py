"""No credential in any output, and nothing that a terminal would carry out.

A credential is the user info of a URL, a value under the name of a credential, a private key, a token, and such a text
in base64, gzip or escapes. `redact` hides it in every message; `krm_fn.cli.masking` does so in the lines of a diff,
where it also hides the data of Secrets and the passwords of the run.

From a credential on, the rest of the line is hidden; a text that is safe only as a whole is hidden as a whole.

A name in a manifest may hold any character. Escape sequences would be carried out by the terminal (ECMA-48), and marks
like U+202E show another text than there is ("Trojan Source", CVE-2021-42574).
"""

from __future__ import annotations

import binascii
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache

from krm_fn.light_typing import Any, NamedTuple
from krm_fn.proxy_url import split_url

# The text that an output shows in the place of a secret.
HIDDEN = "***"
# Halves of pairs, which stand for bytes of a file name that are no UTF-8, and blanks.
_KEPT = {"Cs", "Zs"}


class Credential(NamedTuple):
    """A form in which texts hold credentials.

    Patterns are compiled when they are first needed: most runs print nothing that one of them has to look at.

    Attributes:
        hints: words, in small letters, of which a text holds one if the pattern can match.
        pattern: its group ``secret`` is hidden.
        example: a text whose credential is ``S3CRET``.
    """

    hints: Sequence[str]
    pattern: str
    example: str


_PORT = r"""\d{1,5}(?=\s|$|\\(?![^@\n]{0,200}@)|[/?#,;|"'`)>\]}](?![^\s"',]{0,200}@))"""
_USER = rf"://[^\s:@/\[]*:(?!{_PORT}|\*\*\*@)"
# A shell, a template or a reader fills it in.
_REFERENCE = r"(?!\\?[\"']?[$<{])"
_NAME = (
    r"(?:token|passwd(?<!nopasswd)|password|passphrase|(?<![a-z])pass|(?<=proxy)pass|pass(?:lm|nt|ntlmv2)|(?<=[_.;-])pwd|(?<![\w-])secret"
    r"|(?:client|app|application|shared|webhook|signing|consumer|oauth2?|api|join)[_.-]?secret"
    r"|(?:api|access|secret|private|account|encryption|certificate)[_-]?key|client-key-data|authorization)"
    r"(?:[_-]?(?:base64|b64)|_?\d{1,3})?"
)
# One of them is in each of the names.
_WORDS = ("token", "pass", "pwd", "secret", "key", "authorization")
_IS_NAME = rf"(?i:[\w./:-]*{_NAME})"
_LIST = r"(?i:no_?proxy)"
_ASSIGNMENT = rf"""(?i)({_NAME}\\?["']?[ \t]{{0,8}}(?:=>|:=|=(?![=~])|:(?=[ \t"'\\]))[ \t]{{0,8}})([^\r\n]{{1,300}})"""
# The beginning of an element of XML.
_ELEMENT = rf"<(?:[\w.-]{{1,40}}:)?[\w.-]{{0,80}}{_NAME}"
# An attribute of XML that names the value of its element.
_NAMED = rf"""\b(?:name|key|id)[ \t]*=[ \t]*\\?["'][\w.:/-]{{0,80}}{_NAME}\\?["']"""
# A value that refers to another place, is empty or a word like `true`, or is no single value.
_HARMLESS = (
    r"""(?i)["'\\]{0,9}(?:true|false|null|none|yes|no|on|off|~|\*+|\$\w+(?:["'\s].*)?|\$?\{.*|\$\(.*|`.*|<[^>]*>|\[.*"""
    r"""|(?:/[\w.-]+){2,}|(?:bearer|basic)\s+\$.*)?["'\\]{0,9}[,;}\]]*\s*"""
)
# An entry of a list of hosts with a colon, behind which is neither a port nor an address.
_ENTRY = r"""(?x:
    [^\s,;|:=/"'\[\]@%]+ (?: : | %3[Aa] )      # a host, or the user of a password: svc:geheim
    (?! \d{1,5} (?![^\s,;|"'\]]) |             # and no port: proxy:3128
        [\da-fA-F]{0,4}: |                      # no rest of an IPv6 address: fd00::1
        [\s/*$] | $ |                           # nothing, or a placeholder: proxy:$PORT
        [-=] (?:                                 # no default of a placeholder that is
            \d{1,3}(?:\.\d{1,3}){3} (?:/\d{1,3})? |                    # an address: ${PODS:=10.0.0.0/8}
            [\da-fA-F]{0,4} (?: :[\da-fA-F]{0,4} ){2,7} (?:/\d{1,3})? | # one of IPv6: ${PODS:-fd00::/64}
            (?: [a-z0-9-]+\. )+ [a-z]+ |                                # a domain: ${DOMAIN:=cluster.local}
            \d{1,5} ) (?: [\s,;|"'}] | $ ) ) )"""  # a port: ${PORT:=6443}

# Forms that are looked for in a text as a whole.
CREDENTIALS = (
    Credential(
        ["private key"],
        r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----(?P<secret>[\s\S]*?)"
        r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)",
        "-----BEGIN RSA PRIVATE KEY-----\nS3CRET\n-----END RSA PRIVATE KEY-----",
    ),
    Credential(
        ['"""'],
        rf'(?i){_NAME}[ \t]*=[ \t]*"""(?P<secret>[\s\S]*?)(?:"""|\Z)',
        'password = """\nS3CRET\n"""',
    ),
    Credential(
        ["@"],
        rf"{_USER}(?P<secret>[^\s@/]*(?:\r?\n[ \t#]*[^\s@/:#][^\s@/:]*){{1,3}})@",
        "# http://user:\n#  S3CRET@proxy",
    ),
    Credential(
        ["gh", "github_pat", "gl", "xox", "hvs.", "npm_", "dckr_", "eyj"],
        r"(?<![\w-])(?P<secret>gh[pousr]_[A-Za-z0-9]{20,}|github_pat_\w{20,}|gl[a-z]{2,5}-[\w.-]{16,}|xox[a-z]-[\w-]{10,}"
        r"|hvs\.[\w-]{16,}|npm_\w{20,}|dckr_pat_[\w-]{16,}|eyJ[\w-]{8,}\.eyJ[\w-]{8,}(?:\.[\w-]*)?)(?![\w@-]|:\S)",
        "a glpat-S3CRET0123456789abcd",
    ),
    Credential(
        ["@"],
        r"://(?P<secret>[^\s:@/]{1,500}|[^\s:@/]{20,500}:[^\s@\"']{0,500}|[^\s:@/]{1,500}:(?:x|X|x-oauth-basic|oauth2)?)@",
        "https://S3CRET:x-oauth-basic@github.com",
    ),
    Credential(
        ["<"],
        rf"""(?ix) {_ELEMENT} (?: [ \t] [^<>\n]{{0,300}} )? >   # <proxyPassword type="text">
        (?: <!\[CDATA\[ )? [ \t]* \r?\n                      # and its value on the next lines
        (?P<secret> [\s#]* (?: <!\[CDATA\[ )? [^<]+ )""",
        "<password>\n  S3CRET\n</password>",
    ),
    Credential(
        ["<value>", "<string>"],
        rf"""(?ix) < (?:name|key) > [\w.:/-]{{0,80}} {_NAME} </ (?:name|key) >  # <key>proxy.password</key>
        [\s#]{{0,200}} < (?:value|string) > (?P<secret> [^<]+ )                  # <string>S3CRET</string>""",
        "<name>proxy.password</name>\n<value>S3CRET</value>",
    ),
)
# Forms that are looked for in each line.
CREDENTIALS_OF_A_LINE = (
    Credential(
        ["@", "%40"],
        rf"""[^\s:@/"'=,`](?::|%3[Aa])(?!//|%2[Ff]|{_PORT}|\*\*\*)(?P<secret>[^\s"',]{{1,500}})(?:@|%40)(?!sha256:|sha512:)""",
        "to=http%3A%2F%2Fuser%3AS3CRET%40proxy",
    ),
    Credential(["://"], rf"""{_USER}(?![${{<])(?P<secret>[^\s"',;]+)""", "http://user:S3CRET"),
    Credential(
        ["@"],
        rf"""(?:^|(?<=[\s"'=,`]))[^\s:@/"'=,`]+:(?!{_PORT}|[\s/:*])(?P<secret>[^"'@\n]{{0,200}}[^"'@\s*])@(?!sha|\s|$)""",
        "user:a S3CRET@proxy",
    ),
    Credential(
        ["proxy-user", "curl"],
        rf"""(?x) (?: proxy- | curl \b [^\n]{{0,300}} \s-- ) user \\?["']?  # curl --proxy-user
        [ \t]* (?: [=:][ \t]* )? (?<= [=:\ \t] )                        # =
        [^\s:$]+ : {_REFERENCE} (?P<secret> .+ )                         # svc:S3CRET""",
        "proxy-user = 'svc:S3CRET b'",
    ),
    Credential(
        ["curl"],
        rf"curl\b[^\n]{{0,300}}?\s-[A-Za-z]{{0,5}}[uU][ \t]*[^\s:$]+:{_REFERENCE}(?P<secret>.+)",
        "curl -sSu svc:S3CRET https://x",
    ),
    Credential(
        ["bearer", "basic"],
        r"(?i)(?:bearer|basic)[ \t]+(?=\S*\d)(?P<secret>[\w.~+/-]{16,}.*)",
        "sends Bearer S3CRET0123456789 there",
    ),
    Credential(
        ["auth"],
        r"""\b_?auth\\?["']?[ \t]{0,8}[:=][ \t]{0,8}\\?["']?(?=\w*[A-Z])(?P<secret>[A-Za-z0-9+/]{12,}.*)""",
        '{"auths": {"r": {"auth": "S3CRET0dGVzdA=="}}}',
    ),
    Credential(
        ["no_proxy", "noproxy"],
        rf"""(?i)no_?proxy\\?["']?[ \t]{{0,8}}[=:][ \t]{{0,8}}\\?["']?"""
        rf"""(?P<secret>(?:[^\s"'\\]{{0,500}}[,;|])?{_ENTRY}.*)""",
        "NO_PROXY=localhost,svc:S3CRET",
    ),
    Credential(
        _WORDS,
        rf"""(?i)(?<!\w)--?[\w-]{{0,40}}{_NAME}[ \t]{{1,8}}(?!-){_REFERENCE}(?P<secret>.+)""",
        "kubeadm join --token S3CRET host:6443",
    ),
    Credential(
        _WORDS, rf"(?i)^[ \t]*[\w.-]{{0,80}}{_NAME}:(?P<secret>[^\s/:*$].*)", "password:S3CRET"
    ),
    Credential(
        ["pass"],
        rf"""(?ix) (?: ^[ \t#;-]* | ["'] )           # a line, a comment or a text in quotes begins
        (?: pass(?:lm|nt|ntlmv2) [ \t] |            # cntlm:  PassNTLMv2 0123ABCD
            password (?: [ \t]{{2}} | \t |           # cntlm, in columns:  Password    a word and more
                [ \t] (?= (?: "[^"]*" | '[^']*' | [^\s"']+ )         # netrc, one word:  password geheim
                          [ \t]* (?: $ | ["'\\#] ) ) ) )
        [ \t]* (?![=:]) {_REFERENCE} (?P<secret> \S.* )""",
        "Password    S3CRET",
    ),
    Credential(
        ["password", "basicauth"],
        rf"""(?ix) (?: (?: machine | login | account ) [ \t]{{1,40}} \S{{1,200}} [ \t]{{1,40}} password |  # netrc
            basicauth [ \t]{{1,40}} [^\s:=]{{1,200}} )             # tinyproxy:  BasicAuth svc geheim
        [ \t]{{1,40}} {_REFERENCE} (?P<secret> \S.* )""",
        "machine proxy login svc password S3CRET",
    ),
    Credential(
        ["<"],
        rf"""(?ix) {_ELEMENT} (?: [ \t] [^<>\n]{{0,300}} )? >   # <proxyPassword type="text">
        [ \t]* (?: <!\[CDATA\[ )? {_REFERENCE} (?P<secret> \S.* )""",
        "<password>S3CRET</password>",
    ),
    Credential(
        ["<"],
        rf"""(?ix) < [\w.:-]{{1,80}} [ \t] [^<>\n]{{0,200}}? {_NAMED}      # <add key="http_proxy.password"
        [^<>\n]{{0,200}}? (?: \b value [ \t]* = [ \t]* \\?["'] | (?<!/)> )  # value="S3CRET", or >S3CRET</add>
        {_REFERENCE} (?P<secret> [^\s"'].* )""",
        '<add key="http_proxy.password" value="S3CRET" />',
    ),
    Credential(
        ["<"],
        rf"""(?ix) < [\w.:-]{{1,80}} [ \t] [^<>\n]{{0,200}}? \b value [ \t]* = [ \t]* \\?["'] # <add value="S3CRET"
        (?= [^"'<>\n]{{1,300}} ["'] [^<>\n]{{0,200}}? {_NAMED} )                               # key="password"
        {_REFERENCE} (?P<secret> .+ )""",
        '<add value="S3CRET" key="password" />',
    ),
)

_HOST = r"(?:[A-Za-z0-9._-]{1,253}|\[[0-9A-Fa-f:.]{2,45}\])"
_PROXY_URL = rf"""(?x:
    [A-Za-z][A-Za-z0-9+.-]{{0,20}} ://                                  # http://
    (?: [^\s:@/"']{{0,200}} (?: :[^\s@/"']{{0,500}} )? @ )?              # svc:geheim@
    {_HOST} (?: :[0-9]{{1,5}} )? /? |                                   # proxy.corp.example:3128/
    {_HOST} :[0-9]{{1,5}} (?! [^\n]{{0,500}} @ ) )"""  # proxy:3128, and no user with a password
# The beginning of a text that a shell, clusterctl, Flux or Kyverno fills in.
_FILLED_IN = r"\$\{?[A-Za-z_({]|\{\{"
# The name of a field or variable for the URL of a proxy.
_PROXY = r"(?i:(?:.*_)?https?_?proxy(?:url)?)"
# A value of a proxy in a file that is no URL; a message may be about the field itself.
_OTHER_PROXY = Credential(
    ["httpproxy", "http_proxy", "httpsproxy", "https_proxy"],
    rf"""(?ix)
    https?_?proxy ["']? [ \t]{{0,8}} (?: [=:][=-] | [=:](?![=-]) ) [ \t]{{0,8}} ["']?  # HTTPS_PROXY = "
    (?! (?: {_PROXY_URL} )? (?: [\s"';,&|)}}\]\\] | \Z ) | {_FILLED_IN} )  # http://proxy:3128";  but not $PROXY
    (?P<secret> [^\n]+ )                                                 # S3CRET""",
    "httpProxy: S3CRET",
)
_QUOTED = r"""(?<!\w)(?:"[^"]*"|'[^']*')"""
# A user name without a scheme, whose password may hold blanks.
_WITH_BLANKS = rf"""(?:^|(?<=[\s"'=,`]))[^\s:@/"'=,`]+:(?!{_PORT}|[\s/:*])"""
# User and password, which HTTP has in base64 (RFC 7617).
_AS_IN_HTTP = r"[^\s:@/]+:(?!//|\d{1,5}$)\S+"
_OBJECT = r"""kind\\?["']?\s*:\s*\\?["']?Secret\b|\bstringData\\?["']?\s*:"""
_CODED = r"[A-Za-z0-9+/_-]{12,}={0,2}(?:\r?\n[ \t]*[A-Za-z0-9+/_-]+={0,2}(?=\s|\Z))*"
# Base64 of 15 bytes or more: most shorter matches are words of the text itself.
_LONG_CODED = _CODED.replace("{12,}", "{20,}")
# Six bytes of ASCII in base64: the first bit of each is 0.
_ASCII = r"(?:[A-Za-f][A-HQ-Xg-nw-z0-3][ABEFIJMNQRUVYZcdghklopstwx014589][A-Za-z0-9+/]){2}"
# Letters of base64 that may be user and password; many a shorter word can be read as such.
_SHORTEST_OF_USER = 16
_TEXT = r"[^\x00-\x08\x0b\x0c\x0e-\x1f\x7f]{8,}"
# The alphabet of base64 in URLs (RFC 4648, section 5), and the signs between its letters.
_LETTERS = str.maketrans("-_", "+/", "=\r\n\t ")
# How gzip begins in base64 (RFC 1952, section 2.3.1).
_GZIP = "H4sI"
# Bytes of gzip that are read; nobody packs a longer configuration into a manifest.
_LARGEST = 1024 * 1024
_SHORTEST_PASSWORD = 4
# Up to this length a password may be a part of other words, such as `proxy` of `http-proxy.conf`.
_LONGEST_WORD = 7

# So many texts are remembered: kinds, fields and messages are those of many results in turn.
_RECENT = 16

# Returns a text without further secrets.
_Mask = Callable[[str], str]


def redact(value: Any, known: _Mask = str) -> Any:
    """Return the data with credentials masked in texts at any depth; ``known`` masks further secrets, ``str`` none."""
    if isinstance(value, str):
        return _masked(value, known)
    if isinstance(value, Mapping):
        return {key: _member(value, key, known) for key in value}
    if isinstance(value, (list, tuple)):
        return [redact(item, known) for item in value]
    return value


def _member(data: Mapping[Any, Any], key: Any, known: _Mask) -> Any:
    """Return a member without a credential; an entry has its name in ``name``, beside ``value``."""
    value = data[key]
    name = data.get("name") if key == "value" else key
    if isinstance(value, (list, tuple)):
        return [_member({name: item}, name, known) for item in value]
    if is_secret(name, value):
        return HIDDEN
    if isinstance(value, str):
        return redact_lines(value, known)
    return redact(value, known)


def redact_lines(text: str, known: _Mask = str) -> str:
    """Return a text of a file, which is no message although it may be one line, without credentials."""
    return _masked(f"{text}\n", known)[:-1]


def is_secret(name: Any, value: Any) -> bool:
    """Return whether a value with this name is a credential, or stands in the place of a proxy URL and is none."""
    if not isinstance(name, str) or not isinstance(value, (str, int)) or isinstance(value, bool):
        return False
    text = str(value)
    if re.fullmatch(_LIST, name):
        return re.search(rf"""(?:^|[\s,;|"']){_ENTRY}""", text) is not None
    if re.fullmatch(_PROXY, name):
        return not is_proxy_url(text)
    return re.fullmatch(_IS_NAME, name) is not None and not re.fullmatch(_HARMLESS, text)


def may_name_secret(name: str) -> bool:
    """Return whether a value with this name can be a secret."""
    return re.fullmatch(rf"{_LIST}|{_PROXY}|{_IS_NAME}", name) is not None


def is_proxy_url(text: str) -> bool:
    """Return whether a text fits into the field of a proxy URL: a URL, host and port, nothing, or a placeholder.

    Anything else may be a password alone. Source: RFC 3986, section 3.2 (authority); a path, a query and a fragment
    have no meaning in a proxy URL.
    """
    return re.fullmatch(rf"{_PROXY_URL}|(?:{_FILLED_IN}).*|", text, re.DOTALL) is not None


def hide_texts(text: str, secrets: Iterable[str]) -> str:
    """Return a text in which each of the secrets is ``***``, where it is no part of a word."""
    for secret in sorted(secrets, key=len, reverse=True):
        if secret in text:
            text = re.sub(rf"(?<![A-Za-z0-9]){re.escape(secret)}(?![A-Za-z0-9])", HIDDEN, text)
    return text


@lru_cache(maxsize=_RECENT)
def shown_line(text: str) -> str:
    """Return the text on one line, credentials masked, control characters escaped."""
    masked = _masked(text)
    line = " ".join(masked.split())
    if line != masked:
        line = _masked(line)
    before, _, behind = line.rpartition("@")
    if not before.endswith((" ", HIDDEN)) and not behind.startswith("sha"):
        line = _without_password(line, _WITH_BLANKS)
    return printable(line)


def printable(line: str) -> str:
    r"""Return one line with ``\x1b`` or ``\u202e`` in place of the characters that a terminal would carry out."""
    if line.isprintable():
        return line
    return "".join(map(_escaped, line))


def printable_html(text: str) -> str:
    """Return a text as HTML, SVG or XML has to hold it to show it, also inside of an attribute in quotes."""
    from html import escape  # noqa: PLC0415 -- few outputs are HTML

    return escape(printable(text))


def _escaped(char: str) -> str:
    import unicodedata  # noqa: PLC0415 -- a megabyte for rare characters

    if char.isprintable() or unicodedata.category(char) in _KEPT:
        return char
    return char.encode("unicode_escape").decode()


def holds_secret_object(text: str) -> bool:
    """Return whether a text looks like a manifest of a Secret."""
    return re.search(_OBJECT, text) is not None


@lru_cache(maxsize=_RECENT)
def _masked(text: str, known: _Mask = str) -> str:
    """Return a text, with as many lines, without a credential."""
    is_message = "\n" not in text
    text = known(text)
    if not is_message:
        text = _without((_OTHER_PROXY,), text)
    text = _without(CREDENTIALS, text)
    text = re.sub(_CODED, lambda coded: _without_coded(coded[0], known), text)
    return "\n".join(_masked_line(line, is_message=is_message) for line in text.split("\n"))


def _without(forms: Iterable[Credential], text: str) -> str:
    for form in _forms_in(text, forms):
        text = re.sub(form.pattern, _hidden, text)
    return text


def _forms_in(text: str, forms: Iterable[Credential]) -> list[Credential]:
    """Return the forms of which a text, by its words, may hold one."""
    small = text.lower()
    return [form for form in forms if any(map(small.__contains__, form.hints))]


def spans_over_lines(text: str) -> Iterator[tuple[int, int]]:
    """Yield where credentials begin and end that take several lines, as in a comment."""
    for form in _forms_in(text, CREDENTIALS):
        for found in re.finditer(form.pattern, text):
            # A key without an end may be a word about keys.
            if "\n" in found[0] and found.end() < len(text):
                yield found.span("secret")


def _hidden(found: re.Match[str]) -> str:
    """Return a match of a pattern with each line of its secret hidden."""
    start, end = found.span("secret")
    text = found.string
    before = text[found.start() : start]
    return before + _hidden_lines(found["secret"]) + text[end : found.end()]


def _hidden_lines(text: str) -> str:
    return re.sub(r"\S[^\r\n]*", HIDDEN, text)


def _masked_line(line: str, *, is_message: bool) -> str:
    """Return a line without a credential, or ``***`` where only its escapes hide one."""
    line = _without_plain(line, is_message=is_message)
    for reading in _readings(line):
        if _without_plain(reading, is_message=is_message) != reading:
            return _hidden_lines(line)
    return line


def _without_plain(line: str, *, is_message: bool) -> str:
    """Return a line without the credentials that it shows as they are."""
    if "@" in line:
        line = re.sub(_QUOTED, lambda quoted: _without_password(quoted[0], _USER), line)
        line = _without_password(line, _USER)
    line = _without(CREDENTIALS_OF_A_LINE, line)
    return _without_named_value(line, is_message=is_message)


def _without_password(text: str, user: str) -> str:
    """Hide everything from the first user name to the last "@": in linear time, as no single pattern is."""
    before, at, behind = text.rpartition("@")
    found = re.search(user, text) if at else None
    if found is None or found.end() > len(before):
        return text
    return f"{before[: found.end()]}{HIDDEN}{at}{behind}"


def _without_named_value(line: str, *, is_message: bool) -> str:
    """Hide a line from the first value with the name of a credential on; a message may be about the field itself."""
    small = line.lower()
    if not any(word in small for word in _WORDS):
        return line
    for found in re.finditer(_ASSIGNMENT, line):
        is_of_field = is_message and re.search(r"\.[\w-]*$", line[: found.start()])
        is_sentence = is_of_field and " " in found[2].strip() and found[1].endswith(": ")
        if not is_sentence and not re.fullmatch(_HARMLESS, found[2]):
            return f"{line[: found.end(1)]}{HIDDEN}"
    return line


def _without_coded(letters: str, known: _Mask) -> str:
    """Return base64, or ``***`` for each of its lines if it says a credential."""
    if _says_credential(letters, known):
        return _hidden_lines(letters)
    return letters


def _says_credential(letters: str, known: _Mask) -> bool:
    """Return whether base64, or gzip in it, says a credential, whatever other letters it is glued to."""
    letters = letters.translate(_LETTERS)
    if not re.search(_ASCII, letters) and _GZIP not in letters:
        return False
    texts = [_bytes_of(letters[start:]).decode(errors="replace") for start in range(4)]
    if len(letters) >= _SHORTEST_OF_USER and re.fullmatch(_AS_IN_HTTP, texts[0]):
        return texts[0].isprintable() and "\ufffd" not in texts[0]
    _, packed, behind = letters.partition(_GZIP)
    if packed:
        unpacked = _unpacked(_bytes_of(packed + behind))
        if unpacked is None or _GZIP in unpacked:  # it cannot be read to its end
            return True
        texts.append(unpacked)
    for text in texts:
        for part in re.findall(_TEXT, text.replace("\ufffd", "\0")):
            if holds_secret_object(part) or _masked(part, known) != part:
                return True
    return False


def texts_in_base64(text: str) -> Iterator[str]:
    """Yield the texts that stand in base64 in a text, or in gzip in it."""
    for match in re.finditer(_LONG_CODED, text):
        letters = match[0].translate(_LETTERS)
        is_packed = letters.startswith(_GZIP)
        if is_packed or re.search(_ASCII, letters):
            raw = _bytes_of(letters)
            yield (is_packed and _unpacked(raw)) or raw.decode(errors="replace")


def _bytes_of(letters: str) -> bytes:
    """Return the text in base64; a last letter too many for bytes is left out."""
    whole = letters[:-1] if len(letters) % 4 == 1 else letters
    return binascii.a2b_base64(whole + "=" * (-len(whole) % 4))


def _unpacked(raw: bytes) -> str | None:
    """Return the text in gzip; None if it is too long, or is damaged."""
    import zlib  # noqa: PLC0415 -- few texts hold gzip

    reader = zlib.decompressobj(wbits=31)
    try:
        text = reader.decompress(raw, _LARGEST).decode(errors="replace")
    except zlib.error:
        return None
    return text if reader.eof else None


class ProxyPasswords:
    """The passwords of the proxies of a run, which a diff hides wherever they are, in whatever way they are escaped."""

    def __init__(self, urls: Iterable[str] = ()) -> None:
        passwords = {text for url in urls for text in _passwords(url)}
        self._plain = _pattern_of(passwords)
        self._bare = _pattern_of(map(_bare, passwords))
        self._coded = {letters for text in passwords for letters in _coded(text)}

    def hidden(self, text: str) -> str:
        """Return a text with ``***`` in the place of each password, or of a line that holds it in escapes."""
        if not self._coded:
            return text
        return "\n".join(map(self._hidden_line, text.split("\n")))

    def _hidden_line(self, line: str) -> str:
        line = re.sub(self._plain, HIDDEN, line)
        line = re.sub(r"[A-Za-z0-9+/_-]{4,}=*", self._without_coded, line)
        if any(re.search(self._bare, _bare(reading)) for reading in (line, *_readings(line))):
            return _hidden_lines(line)
        return line

    def _without_coded(self, word: re.Match[str]) -> str:
        letters = word[0].translate(_LETTERS)
        if any(coded in letters for coded in self._coded):
            return HIDDEN
        return word[0]


def _passwords(url: str) -> Iterator[str]:
    """Yield the password of a URL: as it is written, and decoded."""
    from urllib.parse import quote, unquote  # noqa: PLC0415 -- only a diff needs it

    written = split_url(url.partition("://")[2]).password
    password = unquote(written)
    if len(password) >= _SHORTEST_PASSWORD:
        yield from (written, password, quote(password, safe=""))


def _pattern_of(texts: Iterable[str]) -> str:
    """Return a pattern that finds each of the texts; a short one only where it is no part of a word."""
    patterns = []
    for text in sorted(texts, key=len, reverse=True):
        pattern = re.escape(text)
        if len(text) <= _LONGEST_WORD:
            pattern = rf"(?<![\w.-]){pattern}(?![\w.-])"
        patterns.append(pattern)
    return "|".join(patterns) or r"(?!)"


_ESCAPE = r"""(?x) (?<!\\) \\+ (?:
    (?: x | u00 | U000000 ) ([0-9A-Fa-f]{2}) |  # JSON, YAML, a shell: \u0040 and \x40
    u\{ ([0-9A-Fa-f]{2}) \} |                   # JavaScript: \u{40}
    0? ([0-3][0-7]{2}) )                             # printf: \100"""


def _readings(line: str) -> Iterator[str]:
    """Yield a line without its escapes: those of quotes and HTML, and those of URLs up to twice."""
    reading = line
    if "&" in line:
        from html import unescape  # noqa: PLC0415 -- few lines hold one

        reading = unescape(reading)
    if "\\" in line:
        reading = re.sub(_ESCAPE, _unescaped, reading)
    if reading != line:
        yield reading
    if "%" in reading:
        from urllib.parse import unquote  # noqa: PLC0415 -- few lines hold one

        for _ in range(2):
            reading = unquote(reading)
            yield reading


def _unescaped(escape: re.Match[str]) -> str:
    if escape[3]:
        return chr(int(escape[3], 8))
    return chr(int(escape[1] or escape[2], 16))


def _bare(text: str) -> str:
    """Return a text without the signs that quote others, or are written twice: in YAML, shell, systemd, Kubernetes."""
    return re.sub(r"""[\\'"$%]""", "", text)


def _coded(text: str) -> Iterator[str]:
    """Yield the letters that base64 of any text around this one holds: three ways, by the place of its first byte."""
    raw = text.encode()
    for before in range(3):
        letters = binascii.b2a_base64(bytes(before) + raw, newline=False).decode()
        yield letters[(before * 8 + 5) // 6 : (before + len(raw)) * 8 // 6]
