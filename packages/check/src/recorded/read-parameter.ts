import { stringifyJson } from '@contract-first/contract';
import { decode } from '@contract-first/documents';
import { isArray, isObject, isScalar, type Json, type Oracle } from '@contract-first/model/values';
import type { ApiParameter } from '@contract-first/model/operations';
import { isSupportedStyle, writeParameter } from '@contract-first/model/requests';
import { propertyNamesOf, sentValuesOf, type SentParameters } from '../coverage/sent-parameters.ts';

/** The result of parsing a parameter. `unclear` means that servers may parse it differently. */
export type Reading =
  { readonly verdict: 'valid'; readonly value: Json } | { readonly verdict: 'left out' | 'invalid' | 'unclear' };

const LEFT_OUT: Reading = { verdict: 'left out' };
const UNCLEAR: Reading = { verdict: 'unclear' };

/**
 * Parses a parameter of a request.
 *
 * @param alternatives the parameters for each way in which servers may decode the query
 * @returns `valid` only if the value has the documented style, `invalid` only if no server could parse a valid value
 */
export function readParameter(
  parameter: ApiParameter,
  oracle: Oracle,
  alternatives: readonly SentParameters[],
): Reading {
  const [first = UNCLEAR, ...others] = alternatives.map((sent) => readOne(parameter, oracle, sent));
  return others.every(({ verdict }) => verdict === first.verdict) ? first : UNCLEAR;
}

function readOne(parameter: ApiParameter, oracle: Oracle, sent: SentParameters): Reading {
  const { schema, isJson } = parameter;
  if (!isSupportedStyle(parameter)) return UNCLEAR;
  const values = sentValuesOf(parameter, propertyNamesOf(oracle.schemas, schema), sent);
  if (values === undefined) return mayBeSpelledOtherwise(parameter, sent) ? UNCLEAR : LEFT_OUT;
  const allowed = values.filter((value) => oracle.allows(schema, value));
  const value = allowed.find((one) => isJson || isWrittenAs(parameter, one, sent));
  if (value !== undefined) return { verdict: 'valid', value };
  const isPossible = [...allowed, ...values.flatMap(lenientReadings)].some((one) => oracle.allows(schema, one));
  return isPossible || values.some(hasEmptyText) ? UNCLEAR : { verdict: 'invalid' };
}

/** Returns whether the request has exactly the serialization of a value in the parameter's style. */
function isWrittenAs(parameter: ApiParameter, value: Json, sent: SentParameters): boolean {
  const { in: place } = parameter;
  const written = writeParameter(parameter, value)?.map(([name, text]) =>
    place === 'header' ? [name.toLowerCase(), text] : [decode(name), decode(text)],
  );
  const names = new Set(written?.map(([name]) => name));
  const byName = (pairs: readonly (readonly string[])[]): string =>
    JSON.stringify([...pairs].sort(([one = ''], [other = '']) => (one < other ? -1 : one > other ? 1 : 0)));
  return written !== undefined && byName(written) === byName(sent[place].filter(([name]) => names.has(name)));
}

/** Returns whether a request may have the parameter as `IDS`, `ids[]`, `ids[0]`, `ids.a` or an unknown property. */
function mayBeSpelledOtherwise(
  { in: place, name, schema, style, explode }: ApiParameter,
  sent: SentParameters,
): boolean {
  const isObject = style === 'form' && explode && typeof schema === 'object' && 'additionalProperties' in schema;
  const wanted = name.toLowerCase();
  const isAlike = (other: string): boolean => other === wanted || /^[[.]/.test(other.slice(wanted.length));
  return (
    isObject || sent[place].some(([other]) => other.toLowerCase().startsWith(wanted) && isAlike(other.toLowerCase()))
  );
}

// Booleans that many servers accept, although OpenAPI does not define them.
const TRUE = /^(?:true|yes|on|1|t|y)$/i;
const FALSE = /^(?:false|no|off|0|f|n)$/i;

/** Returns values that lenient servers may parse: other spellings of numbers and booleans, and single array items. */
function lenientReadings(value: Json): readonly Json[] {
  if (isArray(value)) {
    const items = value.map((item) => [item, ...lenientReadings(item)]);
    const longest = Math.max(0, ...items.map(({ length }) => length));
    const lists = Array.from({ length: longest }, (_, at) =>
      items.map((readings) => readings[at] ?? readings[0] ?? null),
    );
    return [...lists, ...items.flat()];
  }
  if (typeof value !== 'string') return isScalar(value) ? lenientReadings(stringifyJson(value)) : [];
  const text = value.trim();
  const number = Number(text);
  return [
    ...(text === '' || Number.isNaN(number) ? [] : [number]),
    ...(TRUE.test(text) ? [true] : FALSE.test(text) ? [false] : []),
    ...(text === value ? [] : [text]),
  ];
}

function hasEmptyText(value: Json): boolean {
  if (isArray(value)) return value.some(hasEmptyText);
  return isObject(value) ? Object.values(value).some(hasEmptyText) : value === '';
}
