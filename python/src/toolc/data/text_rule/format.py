"""The formats, by their names in JSON Schema."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from . import ecma, formats


class Format(NamedTuple):
    """A `format` that the reader of arguments enforces."""

    name: str
    form: str
    """What a text of the format is, in words."""
    example: str
    holds: Callable[[str], bool]
    """Returns whether a text has the format."""

    @staticmethod
    def from_name(name: str) -> Format | None:
        """Returns the format with this name in JSON Schema."""
        return _BY_NAME.get(name)


_BY_NAME: Final = {
    one.name: one
    for one in (
        Format("date-time", "a date and time with an offset", "2026-01-31T12:30:00Z", formats.is_date_time),
        Format("date", "a date", "2026-01-31", formats.is_date),
        Format("time", "a time with an offset", "12:30:00Z", formats.is_time),
        Format("duration", "a duration", "PT1H30M", formats.is_duration),
        Format("uri", "a URI", "https://example.com/page", formats.is_uri),
        Format("email", "an email address", "name@example.com", formats.is_email),
        Format("uuid", "a UUID", "123e4567-e89b-12d3-a456-426614174000", formats.is_uuid),
        Format("ipv4", "an IPv4 address", "192.0.2.1", formats.is_ipv4),
        Format("ipv6", "an IPv6 address", "2001:db8::1", formats.is_ipv6),
        Format("hostname", "a host name", "www.example.com", formats.is_hostname),
        Format("regex", "a regular expression of ECMAScript", "^[a-z]+$", ecma.is_valid),
    )
}
