import { isIPv4, isIPv6 } from 'node:net';

// Node compiles 1 MiB of regular expression in 0.3 s, and nothing can interrupt it.
const MAX_REGEX_CHARS = 65_536;

/** The methods of Ajv used here. */
type FormatRegistry = {
  readonly formats: Readonly<Record<string, unknown>>;
  addFormat(name: string, format: RegExp | { readonly validate: (text: string) => boolean }): unknown;
};

/**
 * The shapes of timestamps, which ajv-formats reads more leniently: with a space for the T, and offsets such as +02 and
 * +0200 (RFC 3339, 5.6). It also splits the text at each separator, which takes 0.1 s for 1 MiB of them.
 */
const TIMESTAMPS: Readonly<Record<string, RegExp>> = {
  'date-time': /^[\d-]{10}T[\d:.]+(?:Z|[+-]\d\d:\d\d)$/i,
  time: /^[\d:.]+(?:Z|[+-]\d\d:\d\d)$/i,
  'iso-date-time': /^.{10}[t\s][^t\s]*$/i,
};

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

// RFC 5321, 4.1.2; a domain is fully qualified (2.3.5).
const EMAIL =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")@(?:(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d](?:[a-z\d-]*[a-z\d])?|\[([^[\]]+)\])$/i;

/** Replaces formats of ajv-formats that differ from their specifications, or take long. */
export function replaceFormats(ajv: FormatRegistry): void {
  for (const [name, shape] of Object.entries(TIMESTAMPS)) {
    const { validate, ...format } = ajv.formats[name] as { readonly validate: (text: string) => boolean };
    ajv.addFormat(name, { ...format, validate: (text: string) => shape.test(text) && validate(text) });
  }
  ajv.addFormat('uuid', UUID);
  ajv.addFormat('email', { validate: isEmail });
  ajv.addFormat('regex', { validate: isRegex });
}

/** Whether a text is the address of a mailbox. */
function isEmail(text: string): boolean {
  const match = EMAIL.exec(text);
  if (match === null) return false;
  const [, address] = match;
  if (address === undefined) return true;
  return /^IPv6:/i.test(address) ? isIPv6(address.slice('IPv6:'.length)) : isIPv4(address);
}

/** Whether a text of limited length is a regular expression. */
function isRegex(text: string): boolean {
  if (text.length > MAX_REGEX_CHARS || /[^\\]\\Z/.test(text)) return false;
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
