"""The formats. Each function names the standard that it follows; `docs/formats.md` of toolc says where a standard leaves a choice.

Every function takes linear time. All formats are ASCII. `re` compiles a pattern on first use.
"""

from __future__ import annotations

import re
from typing import Final

from ...text.strings import ascii_lower, byte_len

# RFC 1035, section 2.3.4, without the dot at the end.
_MAX_HOSTNAME: Final = 253
# RFC 5321, section 4.5.3.1.1.
_MAX_LOCAL_PART: Final = 64
# RFC 5321, section 4.5.3.1.3, without the angle brackets.
_MAX_EMAIL: Final = 254
_MINUTES_OF_DAY: Final = 24 * 60
_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)

_DATE: Final = "([0-9]{4})-([0-9]{2})-([0-9]{2})"
_TIME: Final = r"([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))"
_YMD: Final = "(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)"
_HMS: Final = "(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)"
_DURATION: Final = f"P(?:[0-9]+W|{_YMD}(?:T{_HMS})?|T{_HMS})"
_SCHEME: Final = "[A-Za-z][A-Za-z0-9+.-]*"
_FUTURE_ADDRESS: Final = re.compile(r"[vV][0-9A-Fa-f]+\.[A-Za-z0-9._~!$&'()*+,;=:-]+")
_PORT: Final = "(?::[0-9]*)?"
_ATOM: Final = "[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+"
_QUOTED: Final = r"(?:[ !#-\[\]-~]|\\[ -~])*"
_UUID: Final = "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}"
_BYTE: Final = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_IPV4: Final = rf"{_BYTE}(?:\.{_BYTE}){{3}}"
_GROUP: Final = "[0-9A-Fa-f]{1,4}"
_LABEL: Final = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"


def _part(others: str) -> str:
    """Returns the pattern of a part of a URI: the characters that every part may have, percent encodings, and `others`."""
    return f"(?:[A-Za-z0-9._~!$&'()*+,;={others}-]|%[0-9A-Fa-f]{{2}})*"


_PATH: Final = _part(":@/")
_QUERY: Final = _part(":@/?")
_USER: Final = _part(":")
_HOST: Final = _part("")


def is_date(text: str) -> bool:
    """RFC 3339, `full-date`: the day exists in its month."""
    found = re.fullmatch(_DATE, text)
    if found is None:
        return False
    year, month, day = map(int, found.groups())
    if not 1 <= month <= 12:
        return False
    is_leap = year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= day <= _DAYS[month - 1] + (month == 2 and is_leap)


def is_time(text: str) -> bool:
    """RFC 3339, `full-time`: with an offset. The second 60 exists only at the end of a day in UTC."""
    found = re.fullmatch(_TIME, text)
    if found is None:
        return False
    hour, minute, second = int(found[1]), int(found[2]), int(found[3])
    offset = int(found[5]) * 60 + int(found[6]) if found[4] else 0
    of_day = hour * 60 + minute - (-offset if found[4] == "-" else offset)
    is_last_minute = of_day % _MINUTES_OF_DAY == _MINUTES_OF_DAY - 1
    return hour < 24 and minute < 60 and (second < 60 or (second == 60 and is_last_minute))


def is_date_time(text: str) -> bool:
    """RFC 3339, `date-time`."""
    return text[10:11] in ("T", "t") and is_date(text[:10]) and is_time(text[11:])


def is_duration(text: str) -> bool:
    """RFC 3339, appendix A: whole numbers of units, each at most once and in their order, or weeks alone."""
    return re.fullmatch(_DURATION, text) is not None


def is_uri(text: str) -> bool:
    """RFC 3986, `URI`: with a scheme."""
    scheme, colon, rest = text.partition(":")
    if not colon or re.fullmatch(_SCHEME, scheme) is None:
        return False
    rest, _, fragment = rest.partition("#")
    rest, _, query = rest.partition("?")
    if rest.startswith("//"):
        authority, slash, rest = rest[2:].partition("/")
        rest = slash + rest
        if not _is_authority(authority):
            return False
    return bool(re.fullmatch(_PATH, rest) and re.fullmatch(_QUERY, query) and re.fullmatch(_QUERY, fragment))


def _is_authority(text: str) -> bool:
    """RFC 3986, `authority`."""
    user, at, host = text.partition("@")
    if not at:
        user, host = "", text
    if host.startswith("["):
        address, bracket, port = host[1:].partition("]")
        if not bracket or not (is_ipv6(address) or re.fullmatch(_FUTURE_ADDRESS, address)):
            return False
        host = ""
    else:
        host, colon, port = host.partition(":")
        port = colon + port
    return bool(re.fullmatch(_USER, user) and re.fullmatch(_HOST, host) and re.fullmatch(_PORT, port))


def is_email(text: str) -> bool:
    """RFC 5321, `Mailbox`: with a host name or the address of a host."""
    local, at, domain = text.rpartition("@")
    if not at or byte_len(text) > _MAX_EMAIL or not 1 <= byte_len(local) <= _MAX_LOCAL_PART:
        return False
    if len(local) >= 2 and local[0] == local[-1] == '"':
        is_local = re.fullmatch(_QUOTED, local[1:-1]) is not None
    else:
        is_local = all(re.fullmatch(_ATOM, part) for part in local.split("."))
    if not is_local:
        return False
    if len(domain) >= 2 and domain[0] == "[" and domain[-1] == "]":
        literal = domain[1:-1]
        return is_ipv6(literal[5:]) if ascii_lower(literal[:5]) == "ipv6:" else is_ipv4(literal)
    return is_hostname(domain)


def is_uuid(text: str) -> bool:
    """RFC 9562: the text form, of any version."""
    return re.fullmatch(_UUID, text) is not None


def is_ipv4(text: str) -> bool:
    """RFC 2673, section 3.2: four decimal numbers, without leading zeros."""
    return re.fullmatch(_IPV4, text) is not None


def is_ipv6(text: str) -> bool:
    """RFC 4291, section 2.2, without a zone."""
    head, gap, tail = text.partition("::")
    if not gap:
        return _groups(text, True) == 8
    before = _groups(head, False) if head else 0
    after = _groups(tail, True) if tail else 0
    return before is not None and after is not None and before + after <= 7


def _groups(text: str, may_end_with_ipv4: bool) -> int | None:
    """Returns the number of groups of 16 bits, or `None` if they are invalid."""
    *groups, last = text.split(":", 9)
    if not all(re.fullmatch(_GROUP, group) for group in groups):
        return None
    if re.fullmatch(_GROUP, last):
        return len(groups) + 1
    return len(groups) + 2 if may_end_with_ipv4 and is_ipv4(last) else None


def is_hostname(text: str) -> bool:
    """RFC 1123, section 2.1."""
    return len(text) <= _MAX_HOSTNAME and all(re.fullmatch(_LABEL, label) for label in text.split("."))
