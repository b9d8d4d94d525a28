/**
 * The formats. Each function names the standard that it follows; `docs/formats.md` says where a standard leaves a choice.
 *
 * Every function takes linear time: no regular expression here repeats a repetition, or has two that overlap.
 *
 * @module
 */

import { byteLength } from "../../text/utf8.ts";
import { isValidPattern } from "./ecma.ts";

/** The maximum length of a host name: RFC 1035, section 2.3.4, without the dot at the end. */
const MAX_HOSTNAME = 253;
/** The maximum length of one part of a host name. */
const MAX_LABEL = 63;
/** The maximum length of the part of an email address before `@`: RFC 5321, section 4.5.3.1.1. */
const MAX_LOCAL_PART = 64;
/** The maximum length of an email address: RFC 5321, section 4.5.3.1.3, without the angle brackets. */
const MAX_EMAIL = 254;
const MINUTES_OF_DAY = 24 * 60;

/** A `format` that the reader of arguments enforces. */
export interface Format {
  /** What a text of the format is, in words, with an example. */
  readonly form: string;
  /** Returns whether a text has the format. */
  readonly holds: (text: string) => boolean;
}

/** The formats by their names in JSON Schema. */
export const FORMATS: ReadonlyMap<string, Format> = new Map([
  ["date-time", { form: "a date and time with an offset like 2026-01-31T12:30:00Z", holds: isDateTime }],
  ["date", { form: "a date like 2026-01-31", holds: isDate }],
  ["time", { form: "a time with an offset like 12:30:00Z", holds: isTime }],
  ["duration", { form: "a duration like PT1H30M", holds: isDuration }],
  ["uri", { form: "a URI like https://example.com/page", holds: isUri }],
  ["email", { form: "an email address like name@example.com", holds: isEmail }],
  ["uuid", { form: "a UUID like 123e4567-e89b-12d3-a456-426614174000", holds: isUuid }],
  ["ipv4", { form: "an IPv4 address like 192.0.2.1", holds: isIpv4 }],
  ["ipv6", { form: "an IPv6 address like 2001:db8::1", holds: isIpv6 }],
  ["hostname", { form: "a host name like www.example.com", holds: isHostname }],
  ["regex", { form: "a regular expression of ECMAScript like ^[a-z]+$", holds: isValidPattern }],
]);

/** RFC 3339, `full-date`: the day exists in its month. */
function isDate(text: string): boolean {
  const [, year = "", month = "", day = ""] = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/.exec(text) ?? [];
  const isLeap = Number(year) % 4 === 0 && (Number(year) % 100 !== 0 || Number(year) % 400 === 0);
  const days = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][Number(month) - 1] ?? 0;
  return Number(day) >= 1 && Number(day) <= days;
}

const TIME = /^([0-9]{2}):([0-9]{2}):([0-9]{2})(?:\.[0-9]+)?(?:[Zz]|([+-])([0-9]{2}):([0-9]{2}))$/;

/** RFC 3339, `full-time`: with an offset. The second 60 exists only at the end of a day in UTC. */
function isTime(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) {
    return false;
  }
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])];
  const [hours, minutes] = [Number(match[5] ?? 0), Number(match[6] ?? 0)];
  const offset = (hours * 60 + minutes) * (match[4] === "-" ? -1 : 1);
  const inUtc = (((hour * 60 + minute - offset) % MINUTES_OF_DAY) + MINUTES_OF_DAY) % MINUTES_OF_DAY;
  const isFine = hour < 24 && minute < 60 && hours < 24 && minutes < 60;
  return isFine && (second < 60 || (second === 60 && inUtc === MINUTES_OF_DAY - 1));
}

/** RFC 3339, `date-time`. */
function isDateTime(text: string): boolean {
  return isDate(text.slice(0, 10)) && /^[Tt]$/.test(text.slice(10, 11)) && isTime(text.slice(11));
}

const WEEKS = /^P[0-9]+W$/;
const DATE_UNITS = "(?:[0-9]+Y(?:[0-9]+M(?:[0-9]+D)?)?|[0-9]+M(?:[0-9]+D)?|[0-9]+D)";
const TIME_UNITS = "(?:[0-9]+H(?:[0-9]+M(?:[0-9]+S)?)?|[0-9]+M(?:[0-9]+S)?|[0-9]+S)";
const DURATION = new RegExp(`^P(?:${DATE_UNITS}(?:T${TIME_UNITS})?|T${TIME_UNITS})$`);

/** RFC 3339, appendix A: whole numbers of units, each at most once and in their order, or weeks alone. */
function isDuration(text: string): boolean {
  return WEEKS.test(text) || DURATION.test(text);
}

/** RFC 3986, `URI`: with a scheme. */
function isUri(text: string): boolean {
  const match = /^([A-Za-z][A-Za-z0-9+\-.]*):([^#?]*)(?:\?([^#]*))?(?:#([^]*))?$/.exec(text);
  if (match === null) {
    return false;
  }
  const [, , rest = "", query = "", fragment = ""] = match;
  const end = rest.indexOf("/", 2);
  const [authority, path] = rest.startsWith("//")
    ? [rest.slice(2, end < 0 ? rest.length : end), end < 0 ? "" : rest.slice(end)]
    : ["", rest];
  return (
    isAuthority(authority) &&
    consistsOf(path, ":@/") &&
    consistsOf(query, ":@/?") &&
    consistsOf(fragment, ":@/?")
  );
}

/** RFC 3986, `authority`. */
function isAuthority(text: string): boolean {
  const at = text.indexOf("@");
  const host = text.slice(at + 1);
  if (host.startsWith("[")) {
    const end = host.indexOf("]");
    const address = host.slice(1, end);
    const isAddress = end > 0 && (isIpv6(address) || isFutureAddress(address));
    return isAddress && isPort(host.slice(end + 1)) && consistsOf(text.slice(0, Math.max(at, 0)), ":");
  }
  const colon = host.indexOf(":");
  const [name, port] = colon < 0 ? [host, ""] : [host.slice(0, colon), host.slice(colon)];
  return consistsOf(text.slice(0, Math.max(at, 0)), ":") && consistsOf(name, "") && isPort(port);
}

function isPort(text: string): boolean {
  return text === "" || /^:[0-9]*$/.test(text);
}

/** RFC 3986, `IPvFuture`. */
function isFutureAddress(text: string): boolean {
  const address = /^[vV][0-9A-Fa-f]+\.([^%]+)$/.exec(text)?.[1];
  return address !== undefined && consistsOf(address, ":");
}

/** Returns whether a part of a URI has only the characters that every part may have, percent encodings, and `others`. */
function consistsOf(text: string, others: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const letter = text.charAt(at);
    if (letter === "%") {
      if (!/^[0-9A-Fa-f]{2}$/.test(text.slice(at + 1, at + 3))) {
        return false;
      }
      at += 2;
    } else if (!/[A-Za-z0-9\-._~!$&'()*+,;=]/.test(letter) && !others.includes(letter)) {
      return false;
    }
  }
  return true;
}

/** RFC 5321, `Mailbox`: with a host name or the address of a host. */
function isEmail(text: string): boolean {
  const at = text.lastIndexOf("@");
  if (at < 0 || byteLength(text) > MAX_EMAIL) {
    return false;
  }
  const [local, domain] = [text.slice(0, at), text.slice(at + 1)];
  const literal = /^\[([^]*)\]$/.exec(domain)?.[1];
  const quoted = local.length > 1 && local.startsWith('"') && local.endsWith('"') ? local.slice(1, -1) : undefined;
  const isLocal = quoted === undefined ? local.split(".").every(isAtom) : isQuoted(quoted);
  const isDomain = literal === undefined ? isHostname(domain) : isAddressLiteral(literal);
  return local !== "" && byteLength(local) <= MAX_LOCAL_PART && isLocal && isDomain;
}

function isAddressLiteral(text: string): boolean {
  return /^IPv6:/i.test(text) ? isIpv6(text.slice(5)) : isIpv4(text);
}

function isAtom(text: string): boolean {
  return /^[A-Za-z0-9!#$%&'*+\-/=?^_`{|}~]+$/.test(text);
}

/** RFC 5321, the content of `Quoted-string`. */
function isQuoted(text: string): boolean {
  return /^(?:[ !#-[\]-~]|\\[ -~])*$/.test(text);
}

/** RFC 9562: the text form, of any version. */
function isUuid(text: string): boolean {
  return /^[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}$/.test(text);
}

/** RFC 2673, section 3.2: four decimal numbers, without leading zeros. */
function isIpv4(text: string): boolean {
  const parts = text.length <= 15 ? text.split(".") : [];
  return parts.length === 4 && parts.every((part) => /^(?:0|[1-9][0-9]{0,2})$/.test(part) && Number(part) < 256);
}

/** RFC 4291, section 2.2, without a zone. */
function isIpv6(text: string): boolean {
  if (text.length > 45) {
    return false;
  }
  const [head = "", tail, ...more] = text.split("::");
  const groups = (part: string): string[] => (part === "" ? [] : part.split(":"));
  const [before, after] = [groups(head), groups(tail ?? "")];
  const all = [...before, ...after];
  const last = all[all.length - 1] ?? "";
  // An IPv4 address may stand for the last two groups of the whole text.
  const hasIpv4 = last.includes(".") && isIpv4(last) && (tail === undefined || after.length > 0);
  const words = hasIpv4 ? all.slice(0, -1) : all;
  const count = words.length + (hasIpv4 ? 2 : 0);
  const isComplete = tail === undefined ? count === 8 : count < 8;
  return more.length === 0 && isComplete && words.every((word) => /^[0-9A-Fa-f]{1,4}$/.test(word));
}

/** RFC 1123, section 2.1. */
function isHostname(text: string): boolean {
  const isLabel = (label: string): boolean =>
    label.length <= MAX_LABEL && /^[A-Za-z0-9-]+$/.test(label) && !label.startsWith("-") && !label.endsWith("-");
  return text.length <= MAX_HOSTNAME && text.split(".").every(isLabel);
}
