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
 * and lines of YAML and texts. The name may also be in a sibling member, attribute or element:
 * `{"name": "password", "value": "x"}`. Keeps all other characters. Accepts truncated and malformed bodies.
 */
export function redactBody(contentType: string, body: string, replacement: Replacement): string {
  const [, quoted, boundary = quoted ?? BOUNDARY.exec(body)?.[1]] =
    /^multipart\/[^;]*;.*\bboundary *= *(?:"([^"]+)"|([^\s;]+))/is.exec(contentType) ?? [];
  if (boundary !== undefined) return redactParts(boundary, body, replacement);
  if (/^\s*</.test(body)) return redactXml(body, replacement);
  if (/^text\/(?:csv|tab-separated-values)\b/i.test(contentType)) return redactCsv(body, replacement);
  const isForm = /^[^\s=&"{}<>]+=[^\s"{}<>]*$/.test(body) || /^application\/x-www-form-urlencoded\b/i.test(contentType);
  if (isForm) return redactPairs(body, '&', replacement);
  return redactJson(TEXT_TYPE.test(contentType) ? redactLines(body, replacement) : body, replacement);
}

// Matches the first delimiter of a multipart body whose type names no boundary.
const BOUNDARY = /^--([^\r\n]{1,70})\r?\nContent-/i;
const TEXT_TYPE = /^text\/|\b(?:yaml|toml)\b/i;
// Matches a line of YAML, TOML or a text: its name and its value, each with or without quotes.
const LINE = /^([ \t-]*)(["']?)([\w.-]{1,64})\2([ \t]*[:=][ \t]*)(["']?)([^\r\n]*)\5$/;
// Match a value that is in the following lines: a block or a list of YAML, and a string of TOML.
const BLOCK = /^(?:[|>][-+\d]*)?[ \t]*$/;
const MULTILINE_STRING = /^(?:"""|''')/;
// Matches an item of a list, or a member, and its value.
const ITEM = /^([ \t]*(?:- +)?(?:[\w.-]{1,64}: +)?)(.*)$/;

/** Replaces the values of lines with a secret name: `password: x`. */
function redactLines(text: string, replacement: Replacement): string {
  let block: { readonly name: string; readonly indentation: number; readonly isString: boolean } | undefined;
  return text
    .split(/(\r\n|\r|\n)/)
    .map((line) => {
      if (line.trim() === '') return line;
      if (block !== undefined && isInBlock(line, block)) {
        const [, start = '', value = ''] = ITEM.exec(line) ?? [];
        return value === '' ? line : start + replacement.secret(block.name, value);
      }
      block = undefined;
      const [, start = '', quote = '', name = '', sign = '', valueQuote = '', value = ''] = LINE.exec(line) ?? [];
      if (name === '' || !replacement.isSecret(name)) return line;
      const isString = MULTILINE_STRING.test(line.slice((start + quote + name + quote + sign).length));
      if (isString || BLOCK.test(value)) {
        block = { name, indentation: start.length, isString };
        return line;
      }
      return `${start}${quote}${name}${quote}${sign}${valueQuote}${replacement.secret(name, value)}${valueQuote}`;
    })
    .join('');
}

/** Returns whether a line belongs to the value of a line before it. */
function isInBlock(line: string, block: { readonly indentation: number; readonly isString: boolean }): boolean {
  if (block.isString) return !MULTILINE_STRING.test(line.trim());
  const indentation = line.search(/\S/);
  return indentation > block.indentation || (indentation === block.indentation && /^\s*- /.test(line));
}

/** Replaces the secret values of `name=value` pairs in a query, a form or cookies. */
export function redactPairs(text: string, separator: string, replacement: Replacement): string {
  const hasOAuth = OAUTH.test(text);
  return text
    .split(separator)
    .map((pair) => {
      const equals = pair.indexOf('=');
      if (equals === -1) return replacement.text(pair);
      const start = pair.slice(0, equals + 1);
      const name = decodePlus(pair.slice(0, equals).trim());
      const value = pair.slice(equals + 1);
      const decoded = decodePlus(value);
      if (replacement.isSecret(name) || (hasOAuth && name === 'code')) return start + replacement.secret(name, decoded);
      const inner = decodeFully(decoded);
      const redacted = redactText(inner, replacement);
      const shown = redacted === inner ? decoded : redacted;
      return start + (shown === decoded ? replacement.text(value) : shown);
    })
    .join(separator);
}

// A parameter `code` is a secret only beside other parameters of OAuth.
const OAUTH = /(?:^|[&;])(?:state|grant_type|redirect_uri|client_id|session_state|iss)=/;

/** Decodes a text that was encoded up to three times, such as a URL within a URL. */
function decodeFully(text: string): string {
  return decode(decode(text));
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
      const [, quoted, plain = quoted] =
        /^content-disposition:[^\n]*?[;\s]name *= *(?:"([^"\r\n]*)"|([^\s;]+))/im.exec(head) ?? [];
      const [, encoded = plain] =
        /^content-disposition:[^\n]*?[;\s]name\* *= *[^\s']*'[^\s']*'([^\s;]+)/im.exec(head) ?? [];
      const name = encoded && decode(encoded);
      const [, type = ''] = /^content-type: *([^\r\n]*)/im.exec(head) ?? [];
      const isSecret = name !== undefined && value !== '' && replacement.isSecret(name);
      const shown = isSecret ? replacement.secret(name, value) : redactBody(type, value, replacement);
      return replacement.text(head) + shown + end;
    })
    .join(delimiter);
}

// Match a field, whose quotes may be unclosed, with its delimiter.
const FIELDS = {
  ',': /("(?:[^"]|"")*(?:"|$)[^,\r\n]*|[^,\r\n]*)(,|\r\n|\r|\n|$)/g,
  ';': /("(?:[^"]|"")*(?:"|$)[^;\r\n]*|[^;\r\n]*)(;|\r\n|\r|\n|$)/g,
  '\t': /("(?:[^"]|"")*(?:"|$)[^\t\r\n]*|[^\t\r\n]*)(\t|\r\n|\r|\n|$)/g,
};

/** Replaces the values of secret columns. The first row contains the names (RFC 4180, 3). */
function redactCsv(text: string, replacement: Replacement): string {
  const names: string[] = [];
  let isHead = true;
  let column = 0;
  const [head = ''] = text.split(/[\r\n]/, 1);
  const delimiter = (['\t', ';'] as const).find((character) => head.includes(character)) ?? ',';
  return text.replaceAll(FIELDS[delimiter], (whole, field: string, end: string) => {
    const value = field.replace(/^"|"$/g, '').replaceAll('""', '"');
    const name = names[column] ?? '';
    const isName = isHead;
    if (isHead) names.push(value.trim());
    column = end === delimiter ? column + 1 : 0;
    if (end !== delimiter) isHead = false;
    if (isName || field === '') return whole;
    return (replacement.isSecret(name) ? replacement.secret(name, value) : replacement.text(field)) + end;
  });
}

/** Replaces the secrets of a text, which may be JSON, a GraphQL query or XML. */
function redactText(text: string, replacement: Replacement): string {
  if (/^\s*<[\w!?]/.test(text)) return redactXml(text, replacement);
  return /[{[]/.test(text) && text.includes('"') ? redactJson(text, replacement) : replacement.text(text);
}

/**
 * Replaces the secret members of JSON, and the secret arguments of GraphQL. Searches text around the JSON, as in an
 * event stream, for known secrets.
 *
 * @param outer the secret name of the value, if any; makes all its members secret
 */
function redactJson(text: string, given: Replacement, outer?: string): string {
  const replacement = withVariables(text, given);
  const leaf = (value: string): string =>
    outer === undefined ? redactText(value, replacement) : replacement.secret(outer, value);
  const names = outer === undefined ? namesBeside(text) : NO_NAMES;
  let redacted = '';
  let at = 0;
  while (at < text.length) {
    const start = text.indexOf('"', at);
    const between = text.slice(at, start === -1 ? text.length : start);
    const argument = outer === undefined ? secretArgument(between, replacement) : undefined;
    if (argument !== undefined) {
      const valueAt = at + argument.end;
      const endOfArgument = endOfValue(text, valueAt);
      redacted += replacement.text(between.slice(0, argument.end));
      redacted += redactJson(text.slice(valueAt, endOfArgument), replacement, argument.name);
      at = endOfArgument;
      continue;
    }
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
      const shown = leaf(value);
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
// Matches the name of a GraphQL argument, the type of a variable, and a comment before a value.
const ARGUMENT =
  /(?<![\w$])\$?([A-Za-z_]\w{0,63})\s{0,9}[:=][\s,]{0,9}(?:[\w[\]!]{1,64}\s{0,9}=\s{0,9})?(?:#[^\n]*\s+)?(?=[[{]|$)/g;

/** Finds the first secret argument before a list, an object or, at the end of the text, a string. */
function secretArgument(
  text: string,
  { isSecret }: Replacement,
): { readonly name: string; readonly end: number } | undefined {
  for (const { 0: match, 1: name = '', index } of text.matchAll(ARGUMENT))
    if (isSecret(name)) return { name, end: index + match.length };
  return undefined;
}

/** Makes the variables secret that a GraphQL query passes as secret arguments. */
function withVariables(text: string, replacement: Replacement): Replacement {
  const variables = new Set<string>();
  for (const [, name = '', variable = ''] of text.matchAll(/\b([A-Za-z_]\w{0,63})\s{0,9}:\s{0,9}\$(\w{1,64})/g))
    if (replacement.isSecret(name)) variables.add(variable);
  if (variables.size === 0) return replacement;
  return { ...replacement, isSecret: (name) => variables.has(name) || replacement.isSecret(name) };
}

const NO_NAMES: ReadonlyMap<number, string> = new Map();
// Match members that contain the name of a sibling member, and that member.
const NAMING = /^(?:name|key|k|field|path|param|parameter|property|loc|header)$/;
const NAMED = /^(?:value|val|v|input|rejectedvalue|attemptedvalue)$/;
const ANY_NAMED = /"(?:value|val|v|input|rejectedvalue|attemptedvalue|kty)"/i;
// Matches the private members of a JSON Web Key (RFC 7518, 6).
const PRIVATE_MEMBER = /^(?:d|p|q|dp|dq|qi|oth|k)$/;

/**
 * Returns the names of values by their text index: the strings in sibling members such as `name` or `key`, and
 * `private_key` for the private members of a JSON Web Key.
 */
function namesBeside(text: string): ReadonlyMap<number, string> {
  const names = new Map<number, string>();
  if (!ANY_NAMED.test(text)) return names;
  type Members = { name?: string; isKey?: boolean; readonly named: number[]; readonly ofKey: number[] };
  const open: Members[] = [{ named: [], ofKey: [] }];
  const close = (): void => {
    const { name, isKey = false, named = [], ofKey = [] } = open.pop() ?? {};
    if (name !== undefined) for (const valueAt of named) names.set(valueAt, name);
    if (isKey) for (const valueAt of ofKey) names.set(valueAt, 'private_key');
  };
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '{') open.push({ named: [], ofKey: [] });
    else if (text[at] === '}') close();
    if (text[at] !== '"') continue;
    const end = endOfString(text, at);
    COLON.lastIndex = end;
    const [colon = ''] = COLON.exec(text) ?? [];
    const member = colon === '' ? '' : unquote(text.slice(at, end)).toLowerCase();
    const valueAt = end + colon.length;
    at = valueAt - 1;
    const members = open.at(-1);
    if (members === undefined) continue;
    if (NAMED.test(member)) members.named.push(valueAt);
    if (PRIVATE_MEMBER.test(member)) members.ofKey.push(valueAt);
    if (member === 'kty') members.isKey = true;
    if (NAMING.test(member) && /["[]/.test(text[valueAt] ?? '')) members.name = lastName(text, valueAt);
  }
  while (open.length > 0) close(); // The text may be truncated.
  return names;
}

/** Returns the last name of a path: of `"/user/password"`, `"user.password"` and `["user", "password"]`. */
function lastName(text: string, start: number): string {
  const strings = text.slice(start, endOfValue(text, start)).match(/"(?:[^"\\]|\\.)*"?/g) ?? [];
  const path = unquote(strings.at(-1) ?? '').split(/[/.[\]]/);
  return path.findLast((part) => part !== '') ?? '';
}

// Matches a number or unquoted text.
const BARE = /[^\s,:{}[\]]+/g;

const BLOCK_QUOTE = '"""'; // Of GraphQL.

/** Returns the index after a JSON string, which may be truncated. */
function endOfString(text: string, start: number): number {
  if (text.startsWith(BLOCK_QUOTE, start)) {
    const end = text.indexOf(BLOCK_QUOTE, start + BLOCK_QUOTE.length);
    return end === -1 ? text.length : end + BLOCK_QUOTE.length;
  }
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
  if (literal.startsWith(BLOCK_QUOTE)) return literal.slice(BLOCK_QUOTE.length).replace(/"{3}$/, '');
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal.slice(1).replace(/"$/, '');
  }
}

// Match a start tag with its attributes, and an attribute. Matches cannot overlap, which would take quadratic time.
const TAG = /<([\p{L}_][\p{L}\p{N}.:_-]*)((?:"[^"<]*"|'[^'<]*'|[^<>"'])*)>/gu;
const ATTRIBUTE = /(?<![\p{L}\p{N}.:_-])([\p{L}_][\p{L}\p{N}.:_-]*)(\s*=\s*)(?:"([^"]*)"|'([^']*)')/gu;
const NAME_BESIDE = /(?<=\s)(?:name|key|property)\s*=\s*(?:"([^"]*)"|'([^']*)')/i;
const ENTITY = /(<!ENTITY\s+([\w.-]{1,64})\s+)(["'])([^"'<]*)\3/g;
const MAX_NAME = 100;
// Matches text or a CDATA section.
const XML_TEXT = /<!\[CDATA\[([^]*?)(?:\]\]>|$)|(?<=^|>)[^<]+/g;

/** Replaces secret elements and attributes in XML. */
function redactXml(text: string, replacement: Replacement): string {
  let redacted = '';
  let at = 0;
  let named: string | undefined; // The secret name of the next element, in an element such as <key>.
  TAG.lastIndex = 0;
  for (const { 0: tag, 1: name = '', 2: attributes = '', index } of text.matchAll(TAG)) {
    if (index < at) continue; // Inside a secret element.
    redacted += redactXmlText(text.slice(at, index), replacement);
    const [, double, single = double] = NAME_BESIDE.exec(attributes) ?? [];
    const beside = single !== undefined && replacement.isSecret(single) ? single : undefined;
    const shown = attributes.replaceAll(
      ATTRIBUTE,
      (_whole, attribute: string, equals: string, double?: string, single?: string) => {
        const value = double ?? single ?? '';
        const own = localName(attribute);
        const secretName = replacement.isSecret(own) ? own : /^(?:value|content)$/i.test(own) ? beside : undefined;
        return `${attribute}${equals}"${secretName === undefined ? replacement.text(value) : replacement.secret(secretName, value)}"`;
      },
    );
    redacted += `<${name}${shown}>`;
    at = index + tag.length;
    const secretName = replacement.isSecret(localName(name)) ? localName(name) : (beside ?? named);
    if (attributes.endsWith('/')) continue;
    if (secretName === undefined) {
      const [, content = ''] = /^\s*([^\s<]{1,64})\s*<\//.exec(text.slice(at, at + MAX_NAME)) ?? [];
      if (NAMING.test(localName(name).toLowerCase()) && replacement.isSecret(content)) named = content;
      continue;
    }
    named = undefined;
    const end = text.indexOf(`</${name}`, at);
    const content = text.slice(at, end === -1 ? text.length : end);
    redacted += content.replaceAll(XML_TEXT, (part: string, section?: string) =>
      part.trim() === '' ? part : replacement.secret(secretName, section ?? part),
    );
    at += content.length;
  }
  return redacted + redactXmlText(text.slice(at), replacement);
}

/** Replaces the secrets of entities and of other text outside of start tags. */
function redactXmlText(text: string, replacement: Replacement): string {
  const shown = text.replaceAll(ENTITY, (whole, start: string, name: string, quote: string, value: string) =>
    replacement.isSecret(name) ? start + quote + replacement.secret(name, value) + quote : whole,
  );
  return replacement.text(shown);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}
