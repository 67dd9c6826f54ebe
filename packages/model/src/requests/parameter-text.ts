import { stringifyJson } from '@contract-first/contract';
import type { ApiParameter } from '../operations/api-operation.ts';
import { isArray, isObject, type Json } from '../values/json-value.ts';

/** Percent-encodes all reserved characters (RFC 3986, 2.3), including characters that encodeURIComponent keeps. */
export function percentEncode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/**
 * Serializes a parameter value (OpenAPI 3.1, 4.8.12.3) to name-value pairs: one pair, or several in a query or cookie.
 * Percent-encodes text except in headers.
 *
 * @returns `undefined` if the parameter's style cannot represent the value
 */
export function writeParameter(
  parameter: ApiParameter,
  value: Json,
): readonly (readonly [string, string])[] | undefined {
  const { name, in: location, style, explode } = parameter;
  const encode = location === 'header' ? (text: string) => text : percentEncode;
  if (!isSendable(parameter, value)) return undefined;
  const key = encode(name);
  if (parameter.isJson) return [[key, encode(stringifyJson(value))]];
  if (!isArray(value) && !isObject(value)) {
    const text = scalarText(value);
    const isWritable = text !== undefined && (text !== '' || (location === 'query' && parameter.allowEmptyValue));
    return isWritable && !(location === 'path' && /^\.{1,2}$/.test(text)) ? [[key, encode(text)]] : undefined;
  }

  if (parameter.isUntyped) return undefined;
  // No style can represent empty lists, nested lists or nested objects.
  const members = isArray(value) ? value.map((item) => ['', item] as const) : Object.entries(value);
  const texts = members.map(([part, member]) => [encode(part), encode(scalarText(member) ?? '')] as const);
  if (texts.length === 0 || texts.some(([, text]) => text === '')) return undefined;
  const isList = isArray(value);
  if (style === 'deepObject') return texts.map(([part, text]) => [`${key}%5B${part}%5D`, text]);
  // OpenAPI defines no delimiter for exploded cookies in the style `form`.
  if (style === 'form' && explode && location === 'cookie' && !(isList && texts.length === 1)) return undefined;
  if (style === 'form' && explode) return texts.map(([part, text]) => [isList ? key : part, text]);
  if (isList) return [[key, texts.map(([, text]) => text).join(SEPARATORS[style] ?? ',')]];
  return style === 'simple' && explode
    ? [[key, texts.map((pair) => pair.join('=')).join(',')]]
    : [[key, texts.flat().join(SEPARATORS[style] ?? ',')]];
}

/** Returns whether each member of an object is a query parameter. */
export function isExploded({ in: location, style, explode, isJson }: ApiParameter): boolean {
  return location === 'query' && style === 'form' && explode && !isJson;
}

/**
 * Returns the possible values of a serialized parameter. The text of a list or object may have several readings:
 * `R,100` is an object, a list or a string. In a query, `free=1` may be a member of a free-form object.
 */
export function readingsOfParameter(parameter: ApiParameter, value: Json): readonly Json[] {
  if (parameter.isJson) return [value];
  if (isExploded(parameter) && !isArray(value) && !isObject(value))
    return [...readingsOf(value), ...readingsOf({ [parameter.name]: value })];
  const [pair, second] = writeParameter(parameter, value) ?? [];
  const isWhole = pair !== undefined && second === undefined && decodeURIComponent(pair[0]) === parameter.name;
  if (!isWhole || (!isArray(value) && !isObject(value))) return readingsOf(value);
  const text = parameter.in === 'header' ? pair[1] : decodeURIComponent(pair[1]);
  return [...readingsOf(value), ...readingsOf(text), ...readingsOf(objectOf(text.split(/[,| ]/)))];
}

/** Returns the possible values of a response header, which may be an object in the style `simple`. */
export function readingsOfHeader(text: string): readonly Json[] {
  return [...readingsOf(text), ...readingsOf(objectOf(text.split(/ *, */)))];
}

/** Creates an object from `name=value` pairs, or from alternating names and values. */
function objectOf(parts: readonly string[]): Json {
  if (parts.every((part) => part.includes('=')))
    return Object.fromEntries(
      parts.map((part) => [part.slice(0, part.indexOf('=')), part.slice(part.indexOf('=') + 1)]),
    );
  return Object.fromEntries(parts.flatMap((name, index) => (index % 2 === 0 ? [[name, parts[index + 1] ?? '']] : [])));
}

/**
 * Returns the possible values of a text: the string itself, a number, boolean or null, a list with one of these values,
 * or a list of the parts of the text. For lists and objects, returns every combination of the members' readings.
 */
export function readingsOf(value: Json): readonly Json[] {
  if (isArray(value)) return readingsOfAll(value);
  if (isObject(value)) {
    const names = Object.keys(value);
    const readings = readingsOfAll(Object.values(value));
    return readings.map((items) => Object.fromEntries(items.map((item, index) => [names[index] ?? '', item])));
  }
  const text = scalarText(value);
  if (text === undefined) return [value];
  const parts = text.length > MAX_LIST_CHARS ? [] : text.split(/ *[,|] *| +/);
  return [...readingsOfText(text), ...readingsOfAll([text]), ...(parts.length > 1 ? readingsOfAll(parts) : [])];
}

function readingsOfText(text: string): readonly Json[] {
  const literals: Readonly<Record<string, Json>> = { true: true, false: false, null: null };
  const literal = Object.hasOwn(literals, text) ? literals[text] : undefined;
  const integer = text.length <= MAX_DIGITS && /^-?\d+$/.test(text) ? BigInt(text) : undefined;
  const number = integer ?? (/^-?\d+\.\d+$/.test(text) ? Number(text) : undefined);
  return [text, literal, number].filter((reading) => reading !== undefined);
}

/** Returns the readings of a member, which is a scalar in all styles. */
function readingsOfMember(value: Json): readonly Json[] {
  const text = scalarText(value);
  return text === undefined ? [value] : readingsOfText(text);
}

/** Combines the readings of several values. For many values, returns only the first and the last readings. */
function readingsOfAll(values: readonly Json[]): readonly (readonly Json[])[] {
  if (values.length > MAX_COMBINED) {
    return [0, -1].map((index) => values.map((value) => readingsOfMember(value).at(index) ?? null));
  }
  return values.reduce<readonly (readonly Json[])[]>(
    (lists, value) => readingsOfMember(value).flatMap((reading) => lists.map((list) => [...list, reading])),
    [[]],
  );
}

/** Returns whether the style of a parameter is supported. */
export function isSupportedStyle({ style, in: location }: ApiParameter): boolean {
  const known = ['form', 'deepObject', ...Object.keys(SEPARATORS)];
  return location === 'path' || location === 'header' ? style === 'simple' : known.includes(style);
}

const SEPARATORS: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };
const MAX_CHARS = 500;
// Servers should support URLs of at least 8,000 bytes (RFC 9110, 4.1).
const MAX_TEXT_BYTES = 4_000;
const MAX_COMBINED = 5;
// Longer texts, which responses may contain, would take seconds.
const MAX_DIGITS = 20_000;
const MAX_LIST_CHARS = 1_000_000;

function scalarText(value: Json): string | undefined {
  if (isArray(value) || isObject(value) || value === null) return undefined;
  const text = typeof value === 'string' ? value : stringifyJson(value);
  // OpenAPI does not define whether numbers in parameters may have exponents.
  return typeof value === 'number' && text.includes('e') ? undefined : text;
}

/** Returns whether a value can be sent: short, without lone surrogates, and in headers only visible ASCII. */
function isSendable({ in: location, name, style }: ApiParameter, value: Json): boolean {
  if (style === 'deepObject' && !isObject(value)) return false; // Defined only for objects.
  if (location === 'header' && !/^[\w!#$%&'*+.^`|~-]+$/.test(name)) return false; // RFC 9110, 5.6.2
  const text = stringifyJson(value);
  const isTooLong =
    typeof value === 'string' ? encodeURIComponent(text).length > MAX_TEXT_BYTES : text.length > MAX_CHARS;
  if (isTooLong || /\\ud[89a-f]/.test(text)) return false;
  // Headers may contain quotes, as in entity tags; cookies may not.
  const sent = location === 'header' ? text.replaceAll('\\"', '"') : text;
  return (location !== 'header' && location !== 'cookie') || /^[\w!#$%&'*+.^`|~:"[\]{},-]*$/.test(sent);
}
