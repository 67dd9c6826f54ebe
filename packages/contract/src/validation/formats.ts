import { isIPv4, isIPv6 } from 'node:net';

// Node compiles 1 MiB of regular expression in 0.3 s, and nothing can interrupt it.
const MAX_REGEX_CHARS = 65_536;

/** The part of Ajv that registers formats. */
type FormatRegistry = {
  readonly formats: Readonly<Record<string, unknown>>;
  addFormat(name: string, format: RegExp | { readonly validate: (text: string) => boolean }): unknown;
};

/**
 * The syntax of timestamps (RFC 3339, 5.6). ajv-formats also accepts a space instead of the T, and offsets such as +02
 * and +0200. It splits the text at each separator, which takes 0.1 s for 1 MiB of separators.
 */
const TIMESTAMPS: Readonly<Record<string, RegExp>> = {
  'date-time': /^[\d-]{10}T(?:[01]\d|2[0-3]):[\d:]+(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i,
  time: /^(?:[01]\d|2[0-3]):[\d:]+(?:\.\d+)?(?:Z|[+-]\d\d:\d\d)$/i,
  'iso-date-time': /^.{10}[t\s][^t\s]*$/i,
};

const UUID = /^[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}$/i;

// RFC 5321, 4.1.2. Domains are fully qualified (2.3.5).
const EMAIL =
  /^(?:[\w!#$%&'*+/=?^`{|}~-]+(?:\.[\w!#$%&'*+/=?^`{|}~-]+)*|"(?:[ !#-[\]-~]|\\[ -~])*")@(?:(?:[a-z\d](?:[a-z\d-]*[a-z\d])?\.)+[a-z\d](?:[a-z\d-]*[a-z\d])?|\[([^[\]]+)\])$/i;

// RFC 6570, 2. ajv-formats refuses names with a dot and, despite erratum 6937, apostrophes.
const NAME = '(?:\\w|%[\\da-f]{2})+(?:\\.(?:\\w|%[\\da-f]{2})+)*(?::[1-9]\\d{0,3}|\\*)?';
const URI_TEMPLATE = new RegExp(
  `^(?:[^\\x00-\\x20"<>%\\\\^\`{|}\\x7f]|%[\\da-f]{2}|\\{[+#./;?&=,!@|]?${NAME}(?:,${NAME})*\\})*$`,
  'i',
);

// A port is a number (RFC 3986, 3.2.3).
const WRONG_PORT = /^[a-z][a-z\d+.-]*:\/\/[^/?#]*:\d*[^\d/?#\]@:][^/?#\]@:]*(?:[/?#]|$)/i;

/** Replaces the formats of ajv-formats that deviate from their specifications or are slow. */
export function replaceFormats(ajv: FormatRegistry): void {
  for (const [name, shape] of Object.entries(TIMESTAMPS)) {
    const { validate, ...format } = ajv.formats[name] as { readonly validate: (text: string) => boolean };
    // ajv-formats reads seconds as a double: 59.999999999999999 is 60.
    const isValid = (text: string): boolean => shape.test(text) && validate(text.replace(/(:\d\d)\.\d+/, '$1'));
    ajv.addFormat(name, { ...format, validate: isValid });
  }
  const isUri = ajv.formats['uri'] as (text: string) => boolean;
  ajv.addFormat('uri', { validate: (text) => isUri(text) && !WRONG_PORT.test(text) });
  ajv.addFormat('uri-template', URI_TEMPLATE);
  ajv.addFormat('uuid', UUID);
  ajv.addFormat('email', { validate: isEmail });
  ajv.addFormat('regex', { validate: isRegex });
}

/** Returns whether a text is a mailbox address. */
function isEmail(text: string): boolean {
  const match = EMAIL.exec(text);
  if (match === null) return false;
  const [, address] = match;
  if (address === undefined) return true;
  return /^IPv6:/i.test(address) ? isIPv6(address.slice('IPv6:'.length)) : isIPv4(address);
}

/** Returns whether a text is a regular expression of limited length. */
function isRegex(text: string): boolean {
  if (text.length > MAX_REGEX_CHARS || /[^\\]\\Z/.test(text)) return false;
  try {
    new RegExp(text);
    return true;
  } catch {
    return false;
  }
}
