import { decode } from '@contract-first/documents';

/** Defines the replacement of secrets. */
export type Replacement = {
  readonly isSecret: (name: string) => boolean;
  /** Returns the replacement for the value of a secret name. */
  readonly secret: (name: string, value: string) => string;
  /** Replaces known secrets in any other value. */
  readonly text: (value: string) => string;
};

/**
 * Replaces the secret values of JSON members, GraphQL arguments, form fields, XML elements and attributes, CSV columns,
 * and lines of YAML and texts. The name may also be in a sibling member or attribute: `{"name": "password", "value": "x"}`. Keeps all
 * other characters. Accepts truncated and malformed bodies.
 */
export function redactBody(contentType: string, body: string, replacement: Replacement): string {
  const [, quoted, boundary = quoted] =
    /^multipart\/[^;]*;.*\bboundary *= *(?:"([^"]+)"|([^\s;]+))/is.exec(contentType) ?? [];
  if (boundary !== undefined) return redactParts(boundary, body, replacement);
  if (/^\s*</.test(body)) return redactXml(body, replacement);
  if (/^text\/csv\b/i.test(contentType)) return redactCsv(body, replacement);
  const isForm = /^[^\s=&"{}<>]+=[^\s"{}<>]*$/.test(body) || /^application\/x-www-form-urlencoded\b/i.test(contentType);
  if (isForm) return redactPairs(body, '&', replacement);
  return redactJson(TEXT_TYPE.test(contentType) ? redactLines(body, replacement) : body, replacement);
}

const TEXT_TYPE = /^text\/|\b(?:yaml|toml)\b/i;
// Matches a line of YAML, TOML or a text: its name and its value, each with or without quotes.
const LINE = /^([ \t-]*)(["']?)([\w.-]{1,64})\2([ \t]*[:=][ \t]*)(["']?)([^\r\n]*)\5$/gm;

/** Replaces the values of lines with a secret name: `password: x`. */
function redactLines(text: string, replacement: Replacement): string {
  return text.replaceAll(
    LINE,
    (line, start: string, quote: string, name: string, sign: string, valueQuote: string, value: string) => {
      if (value === '' || !replacement.isSecret(name)) return line;
      return `${start}${quote}${name}${quote}${sign}${valueQuote}${replacement.secret(name, value)}${valueQuote}`;
    },
  );
}

/** Replaces the secret values of `name=value` pairs in a query, a form or cookies. */
export function redactPairs(text: string, separator: string, replacement: Replacement): string {
  return text
    .split(separator)
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals === -1) return replacement.text(pair);
      const start = pair.slice(0, equals + 1);
      const name = decodePlus(pair.slice(0, equals).trim());
      const value = pair.slice(equals + 1);
      const decoded = decodePlus(value);
      if (replacement.isSecret(name)) return start + replacement.secret(name, decoded);
      const shown = replacement.text(decoded);
      return start + (shown === decoded ? replacement.text(value) : shown);
    })
    .join(separator);
}

function decodePlus(text: string): string {
  return decode(text.replaceAll('+', ' '));
}

/** Replaces the secret fields of a multipart body, and the secrets in its other parts. */
function redactParts(boundary: string, body: string, replacement: Replacement): string {
  const delimiter = `--${boundary}`;
  return body
    .split(delimiter)
    .map((part) => {
      const [, head, value, end = ''] = /^(.*?\r?\n\r?\n)(.*?)(\r?\n)?$/s.exec(part) ?? [];
      if (head === undefined || value === undefined) return part;
      const [, quoted, name = quoted] =
        /^content-disposition:[^\n]*?[;\s]name *= *(?:"([^"\r\n]*)"|([^\s;]+))/im.exec(head) ?? [];
      const [, type = ''] = /^content-type: *([^\r\n]*)/im.exec(head) ?? [];
      const isSecret = name !== undefined && value !== '' && replacement.isSecret(name);
      return head + (isSecret ? replacement.secret(name, value) : redactBody(type, value, replacement)) + end;
    })
    .join(delimiter);
}

// Matches a CSV field, whose quotes may be unclosed, with its delimiter.
const FIELD = /("(?:[^"]|"")*(?:"|$)[^,\r\n]*|[^,\r\n]*)(,|\r\n|\r|\n|$)/g;

/** Replaces the values of secret columns. The first row contains the names (RFC 4180, 3). */
function redactCsv(text: string, replacement: Replacement): string {
  const names: string[] = [];
  let isHead = true;
  let column = 0;
  return text.replaceAll(FIELD, (whole, field: string, end: string) => {
    const value = field.replace(/^"|"$/g, '').replaceAll('""', '"');
    const name = names[column] ?? '';
    const isName = isHead;
    if (isHead) names.push(value.trim());
    column = end === ',' ? column + 1 : 0;
    if (end !== ',') isHead = false;
    if (isName || field === '') return whole;
    return (replacement.isSecret(name) ? replacement.secret(name, value) : replacement.text(field)) + end;
  });
}

/**
 * Replaces the secret members of JSON. Searches text around the JSON, as in an event stream, for known secrets.
 *
 * @param outer the secret name of the value, if any; makes all its members secret
 */
function redactJson(text: string, replacement: Replacement, outer?: string): string {
  const leaf = (value: string): string => (outer === undefined ? nested(value) : replacement.secret(outer, value));
  // A string may contain nested JSON or a GraphQL query.
  const nested = (value: string): string =>
    /[{[]/.test(value) && value.includes('"') ? redactJson(value, replacement) : replacement.text(value);
  const names = outer === undefined ? namesBeside(text) : NO_NAMES;
  let redacted = '';
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf('"', at);
    const between = text.slice(at, start === -1 ? text.length : start);
    redacted +=
      outer === undefined
        ? replacement.text(between)
        : between.replaceAll(BARE, (word) => (leaf(word) === word ? word : JSON.stringify(leaf(word))));
    if (start === -1) break;
    const end = endOfString(text, start);
    const literal = text.slice(start, end);
    const value = unquote(literal);
    COLON.lastIndex = end;
    const [colon = ''] = COLON.exec(text) ?? [];
    at = end + colon.length;
    if (colon === '') {
      const [, argument] = ARGUMENT.exec(between) ?? [];
      const isSecret = outer === undefined && argument !== undefined && replacement.isSecret(argument);
      const shown = isSecret ? replacement.secret(argument, value) : leaf(value);
      redacted += shown === value ? literal : JSON.stringify(shown);
      continue;
    }
    redacted += literal + colon;
    const name = outer === undefined ? [names.get(at) ?? value, value].find(replacement.isSecret) : undefined;
    if (name === undefined) continue;
    const endOfMember = endOfValue(text, at);
    redacted += redactJson(text.slice(at, endOfMember), replacement, name);
    at = endOfMember;
  }
  return redacted;
}

const COLON = /\s*:\s*/y;
// Matches the name of a GraphQL argument before a string.
const ARGUMENT = /(?<![\w$])([A-Za-z_]\w{0,63})\s{0,9}:\s{0,9}$/;
const NO_NAMES: ReadonlyMap<number, string> = new Map();

/** Returns the strings in members `name` or `key`, by the text index of the sibling member `value`. */
function namesBeside(text: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  if (!/"value"/i.test(text)) return names;
  type Pair = { name?: string; valueAt?: number };
  const open: Pair[] = [{}];
  const close = (): void => {
    const { name, valueAt } = open.pop() ?? {};
    if (name !== undefined && valueAt !== undefined) names.set(valueAt, name);
  };
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '{') open.push({});
    else if (text[at] === '}') close();
    if (text[at] !== '"') continue;
    const end = endOfString(text, at);
    COLON.lastIndex = end;
    const [colon] = COLON.exec(text) ?? [];
    const member = colon === undefined ? '' : unquote(text.slice(at, end)).toLowerCase();
    const valueAt = end + (colon ?? '').length;
    const pair = open.at(-1) ?? {};
    if (member === 'value') pair.valueAt = valueAt;
    if ((member === 'name' || member === 'key') && text[valueAt] === '"')
      pair.name = unquote(text.slice(valueAt, endOfString(text, valueAt)));
    at = valueAt - 1;
  }
  while (open.length > 0) close(); // The text may be truncated.
  return names;
}

// Matches a number or unquoted text.
const BARE = /[^\s,:{}[\]]+/g;

/** Returns the index after a JSON string, which may be truncated. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at += 1) {
    const character = text[at];
    if (character === '\\') at += 1;
    else if (character === '"') return at + 1;
  }
  return text.length;
}

/** Returns the index after a JSON value, which may be truncated. */
function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    const character = text[at] ?? '';
    if (character === '"') {
      at = endOfString(text, at) - 1;
      if (depth === 0) return at + 1;
    } else if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') {
      depth -= 1;
      if (depth < 0) return at;
      if (depth === 0) return at + 1;
    } else if (depth === 0 && /[\s,]/.test(character)) return at;
  }
  return text.length;
}

/** Decodes a JSON string, which may be truncated. */
function unquote(literal: string): string {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal.slice(1).replace(/"$/, '');
  }
}

// Match a start tag with its attributes, and an attribute. Matches cannot overlap, which would take quadratic time.
const TAG = /<([\p{L}_][\p{L}\p{N}.:_-]*)((?:"[^"<]*"|'[^'<]*'|[^<>"'])*)>/gu;
const ATTRIBUTE = /(?<![\p{L}\p{N}.:_-])([\p{L}_][\p{L}\p{N}.:_-]*)(\s*=\s*)(?:"([^"]*)"|'([^']*)')/gu;
const NAME_BESIDE = /(?<=\s)(?:name|key)\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
// Matches text or a CDATA section.
const XML_TEXT = /<!\[CDATA\[([^]*?)(?:\]\]>|$)|(?<=^|>)[^<]+/g;

/** Replaces secret elements and attributes in XML. */
function redactXml(text: string, replacement: Replacement): string {
  let redacted = '';
  let at = 0;
  TAG.lastIndex = 0;
  for (const { 0: tag, 1: name = '', 2: attributes = '', index } of text.matchAll(TAG)) {
    if (index < at) continue; // Inside a secret element.
    redacted += replacement.text(text.slice(at, index));
    const [, double, single = double] = NAME_BESIDE.exec(attributes) ?? [];
    const beside = single !== undefined && replacement.isSecret(single) ? single : undefined;
    const shown = attributes.replaceAll(
      ATTRIBUTE,
      (_whole, attribute: string, equals: string, double?: string, single?: string) => {
        const value = double ?? single ?? '';
        const own = localName(attribute);
        const secretName = replacement.isSecret(own) ? own : /^value$/i.test(own) ? beside : undefined;
        return `${attribute}${equals}"${secretName === undefined ? replacement.text(value) : replacement.secret(secretName, value)}"`;
      },
    );
    redacted += `<${name}${shown}>`;
    at = index + tag.length;
    const secretName = replacement.isSecret(localName(name)) ? localName(name) : beside;
    if (attributes.endsWith('/') || secretName === undefined) continue;
    const end = text.indexOf(`</${name}`, at);
    const content = text.slice(at, end === -1 ? text.length : end);
    redacted += content.replaceAll(XML_TEXT, (part: string, section?: string) =>
      part.trim() === '' ? part : replacement.secret(secretName, section ?? part),
    );
    at += content.length;
  }
  return redacted + replacement.text(text.slice(at));
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
