import {
  createViolation,
  MAX_VIOLATIONS,
  parseJsonTree,
  placeOf,
  SourceDigits,
  type Operation,
  type Parameter,
  type Violation,
  type TextType,
} from '@contract-first/contract';
import { Failure, malformedFailure } from '../failure.ts';
import { readFields } from './form.ts';
import { decodeCookie, decodePercent, parseCookies, parsePairs, type NameValuePair } from './name-value-pairs.ts';
import { ANY_TEXT, fits, isLoneScalar, memberType, setOwn, setScalar, setValue } from './text-value.ts';

/** The parts of a request that carry parameters. */
type ParameterSource = {
  /** The path parameters, percent-encoded. */
  readonly path: Readonly<Record<string, string | undefined>>;
  /** The raw query, without the question mark. */
  readonly query: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
};

/** The parameters of a request as values, by location and name. */
type ParameterValues = Readonly<Record<'path' | 'query' | 'header' | 'cookie', Record<string, unknown>>>;

/** The parameters of a request, and their violations. */
export type ReadParameters = {
  readonly values: ParameterValues;
  readonly sourceDigits: SourceDigits;
  readonly violations: readonly Violation[];
};

/** The text of a parameter, or the texts of its items or members, split according to its style. */
type Texts = string | readonly string[] | Members;
/** The texts of each member; a list may have several. */
type Members = ReadonlyMap<string, readonly string[]>;

const EXPLODED_DELIMITERS: Readonly<Record<string, string>> = { label: '.', matrix: ';' };
const DELIMITERS: Readonly<Record<string, string | RegExp>> = { spaceDelimited: '%20', pipeDelimited: /\||%7C/i };

const NONE = Object.freeze({});
/** The parameters of a request without any. */
export const NO_PARAMETERS: ReadParameters = {
  values: { path: NONE, query: NONE, header: NONE, cookie: NONE },
  sourceDigits: new SourceDigits(),
  violations: [],
};

/**
 * Returns an operation whose free-form parameters are last: objects in the style `form` with additional members, which
 * are the query parameters that belong to no other parameter (OpenAPI 3.1, 4.8.12.4).
 */
export function withFreeFormLast(operation: Operation): Operation {
  const { free = [], named = [] } = Object.groupBy(operation.parameters, (parameter) =>
    isFreeForm(parameter) ? 'free' : 'named',
  );
  return { ...operation, parameters: [...named, ...free] };
}

/**
 * Parses the parameters of a request according to their style, percent-encoding and type. A percent-encoded delimiter
 * is part of a value.
 *
 * @param operation its free-form parameters must be last
 * @param credentials the names of query parameters that are API keys, not parameters of the operation
 * @returns the valid values, and up to ten violations: texts that do not match their documented type, and undocumented
 *   query parameters
 */
export function readParameters(
  { parameters }: Operation,
  source: ParameterSource,
  credentials: ReadonlySet<string>,
): ReadParameters {
  const values: ParameterValues = { path: {}, query: {}, header: {}, cookie: {} };
  const violations: Violation[] = [];
  const digits = new SourceDigits();
  const whole = parameters.find(({ in: location }) => location === 'querystring');
  let query: readonly NameValuePair[] = [];
  let cookies: readonly NameValuePair[] = [];
  try {
    if (whole === undefined || whole.style === 'form') query = parsePairs(source.query);
  } catch (error) {
    collect(error, 'query');
  }
  try {
    if (parameters.some(({ in: location }) => location === 'cookie')) cookies = parseCookies(cookieOf(source));
  } catch (error) {
    collect(error, 'cookie');
  }
  for (const parameter of parameters) {
    try {
      read(parameter);
    } catch (error) {
      collect(error, placeOfParameter(parameter));
    }
  }
  for (const { name } of query) {
    if (violations.length === MAX_VIOLATIONS) break;
    if (!credentials.has(name))
      violations.push(createViolation(placeOf('query', name), 'is not documented', `query parameter ${name}`));
  }
  return { values, sourceDigits: digits, violations };

  /** Adds a failure to the violations; throws other errors. */
  function collect(error: unknown, place: string): void {
    if (!(error instanceof Failure)) throw error;
    const { message } = error;
    const found = error.violations.length > 0 ? error.violations : [{ place, message, text: message }];
    violations.push(...found.slice(0, MAX_VIOLATIONS - violations.length));
  }

  function read(parameter: Parameter): void {
    const { name, in: location } = parameter;
    let texts: Texts | undefined;
    if (location === 'querystring') {
      readQuery(parameter);
      return;
    }
    if (location === 'query') {
      const matches = isFreeForm(parameter)
        ? ({ name: sent }: NameValuePair) => !credentials.has(sent)
        : (pair: NameValuePair) => belongsTo(pair, parameter);
      const { matching = [], rest = [] } = Object.groupBy(query, (pair) => (matches(pair) ? 'matching' : 'rest'));
      query = rest;
      texts = splitPairs(matching, parameter);
    } else if (location === 'cookie') {
      const matching = cookies.filter((pair) => belongsTo(pair, parameter));
      const isList = parameter.style === 'cookie' && parameter.explode && parameter.type.items !== undefined;
      texts = splitPairs(isList ? matching : firstOfEachName(matching), parameter);
    } else {
      const text = location === 'path' ? source.path[name] : headerOf(source, name.toLowerCase());
      texts = text === undefined ? undefined : splitText(String(text), parameter);
    }
    if (texts !== undefined) assign(values[location], parameter, texts);
  }

  /** Reads the whole query as the value of one parameter. An empty query counts as absent. */
  function readQuery(parameter: Parameter): void {
    if (parameter.style === 'form') {
      const fields = query.filter(({ name }) => !credentials.has(name));
      query = [];
      if (fields.length === 0) return;
      const form = readFields(fields, parameter.type, 'query', digits);
      const within = placeOfParameter(parameter);
      const found = form.violations.map((violation) => ({
        ...violation,
        place: violation.place.replace(/^query/, () => within),
      }));
      if (found.length > 0) throw new Failure(400, 'the query is malformed', {}, found);
      setOwn(values.query, parameter.name, form.fields);
    } else if (source.query !== '') assign(values.query, parameter, decodePercent(source.query));
  }

  function assign(holder: Record<string, unknown>, parameter: Parameter, texts: Texts): void {
    const { name, in: location, type, style } = parameter;
    const found: Violation[] = [];
    const check = (problem: string | undefined, ...keys: readonly string[]): void => {
      if (problem === undefined || found.length === MAX_VIOLATIONS) return;
      const subject = `${location} parameter ${[name, ...keys].join('/')}`;
      found.push(createViolation(placeOfParameter(parameter, ...keys), problem, subject));
    };
    if (typeof texts === 'string' && style === 'text') {
      setOwn(holder, name, texts);
    } else if (typeof texts === 'string' && style === 'json') {
      try {
        const value = parseJsonTree(texts, digits).root[''];
        setOwn(holder, name, value);
        if (typeof value === 'number') digits.record(holder, name, texts.trim());
      } catch (error) {
        check(`is not valid JSON: ${(error as SyntaxError).message}`);
      }
    } else if (typeof texts === 'string') {
      check(setScalar(holder, name, texts, type, digits));
    } else if (Array.isArray(texts)) {
      const [text = '', ...others] = texts as readonly string[];
      if (others.length === 0 && isLoneScalar(text, type)) check(setScalar(holder, name, text, type, digits));
      else setOwn(holder, name, toList(texts as readonly string[], type));
    } else {
      const object = {};
      for (const [key, [text = '', ...others]] of texts as Members) {
        const member = memberType(type, key);
        const isText = others.length === 0 && (!isRepeatable(parameter, key) || isOneText(text, member));
        if (isText) check(setValue(object, key, text, member, digits), key);
        else setOwn(object, key, toList([text, ...others], member, key));
      }
      setOwn(holder, name, object);
    }
    if (found.length === 0) return;
    Reflect.deleteProperty(holder, name); // Validating an incomplete list would find misleading violations.
    throw new Failure(400, 'the parameter is malformed', {}, found);

    function toList(items: readonly string[], { items: itemType = ANY_TEXT }: TextType, ...keys: string[]): unknown[] {
      const list: unknown[] = [];
      items.forEach((text, index) => {
        check(setValue(list, String(index), text, itemType, digits), ...keys, String(index));
      });
      return list;
    }
  }
}

/** Returns a header. Ignores inherited members of the headers object, such as `constructor`. */
function headerOf({ headers }: ParameterSource, name: string): string | string[] | undefined {
  return Object.hasOwn(headers, name) ? headers[name] : undefined;
}

/** Whether a pair of the query belongs to a parameter. */
function belongsTo({ name }: NameValuePair, parameter: Parameter): boolean {
  if (parameter.style === 'deepObject') return name.startsWith(`${parameter.name}[`) && name.endsWith(']');
  if (!isExplodedObject(parameter)) return name === parameter.name;
  return Object.hasOwn(parameter.type.properties ?? {}, name) || isScalarOf(parameter, name);
}

/** Keeps the first cookie of each name. Browsers send the cookie with the most specific path first (RFC 6265, 5.4). */
function firstOfEachName(pairs: readonly NameValuePair[]): readonly NameValuePair[] {
  const firsts = new Map<string, NameValuePair>();
  for (const pair of pairs) if (!firsts.has(pair.name)) firsts.set(pair.name, pair);
  return [...firsts.values()];
}

/** Whether a pair is the scalar value of a parameter that may also be an object: `page=2`, not `number=2&size=10`. */
function isScalarOf({ name, type }: Parameter, pairName: string): boolean {
  const mayBeScalar = type.scalars.some((scalar) => scalar !== 'null');
  return mayBeScalar && pairName === name && !Object.hasOwn(type.properties ?? {}, name);
}

function splitPairs(pairs: readonly NameValuePair[], parameter: Parameter): Texts | undefined {
  const { name, in: location, style, explode, type } = parameter;
  if (pairs.length === 0) return undefined;
  // Only the style `form` has percent-encoding.
  const decode = style === 'cookie' ? (text: string) => text : location === 'cookie' ? decodeCookie : decodePercent;
  if (style === 'deepObject')
    return toObject(
      pairs.map((pair) => [pair.name.slice(name.length + 1, -1), decodePercent(pair.value)]),
      parameter,
    );
  const [pair, second] = pairs;
  if (parameter.mayBeEmpty === true && second === undefined && pair?.value === '' && pair.name === name)
    return undefined;
  if (isExplodedObject(parameter)) {
    if (pair !== undefined && second === undefined && isScalarOf(parameter, pair.name)) return decode(pair.value);
    return toObject(
      pairs.map(({ name: member, value }) => [member, decode(value)]),
      parameter,
    );
  }
  const isWhole = style === 'json' || style === 'text';
  if (type.items !== undefined && !isWhole && explode && (location === 'query' || style === 'cookie'))
    return pairs.map(({ value }) => decode(value));
  if (pair === undefined || second !== undefined) {
    throw malformed(parameter, 'must not be repeated');
  }
  if (isScalar(type) || isWhole) return decode(pair.value);
  const texts = pair.value === '' ? [] : pair.value.split(DELIMITERS[style] ?? ',').map(decode);
  return type.items === undefined ? toMembers(texts, parameter) : texts;
}

function splitText(text: string, parameter: Parameter): Texts {
  const { in: location, style, explode, type } = parameter;
  const decode = location === 'path' ? decodePercent : (part: string) => part;
  if (style === 'json' || style === 'text') return decode(text);
  const value = style === 'label' || style === 'matrix' ? withoutPrefix(text, parameter) : text;
  if (isScalar(type)) return decode(value);
  if (value === '') return type.items === undefined ? new Map() : [];
  const delimiter = explode ? (EXPLODED_DELIMITERS[style] ?? ',') : ',';
  const parts = value.split(delimiter).map((part) => (location === 'header' ? part.trim() : part));
  const isNamed = explode && (type.items === undefined || style === 'matrix');
  if (!isNamed) return type.items === undefined ? toMembers(parts.map(decode), parameter) : parts.map(decode);
  const members = parts.map((part) => splitMember(part, parameter, decode));
  if (type.items === undefined) return toObject(members, parameter);
  if (members.some(([name]) => name !== parameter.name))
    throw malformed(parameter, `must have only items named ${parameter.name}`);
  return members.map(([, item]) => item);
}

/** Splits `name=value`. In the style `matrix`, an empty value lacks the equals sign (RFC 6570, 3.2.7). */
function splitMember(text: string, parameter: Parameter, decode: (part: string) => string): readonly [string, string] {
  const equals = text.indexOf('=');
  if (equals !== -1) return [decode(text.slice(0, equals)), decode(text.slice(equals + 1))];
  if (parameter.style === 'matrix') return [decode(text), ''];
  throw malformed(parameter, 'must consist of names and values: name=value');
}

function toObject(pairs: readonly (readonly [string, string])[], parameter: Parameter): Members {
  const object = new Map<string, string[]>();
  for (const [name, text] of pairs) {
    const known = object.get(name);
    if (known === undefined) object.set(name, [text]);
    else if (isRepeatable(parameter, name)) known.push(text);
    else throw malformed(parameter, `must not repeat ${name}`);
  }
  return object;
}

/** Whether a member may be repeated: a list in a `deepObject`, as most clients send it. OpenAPI defines no format. */
function isRepeatable({ style, type }: Parameter, name: string): boolean {
  return style === 'deepObject' && memberType(type, name).items !== undefined;
}

/** Whether the only text of a member that may be a list is JSON or a scalar, not an item. */
function isOneText(text: string, type: TextType): boolean {
  return text.startsWith('[') || fits(setScalar, text, type);
}

function malformed(parameter: Parameter, problem: string): Failure {
  return malformedFailure(placeOfParameter(parameter), problem, `${parameter.in} parameter ${parameter.name}`);
}

function placeOfParameter({ in: location, name }: Parameter, ...keys: readonly string[]): string {
  return placeOf(location === 'querystring' ? 'query' : location, name, ...keys);
}

/** Removes the prefix of the styles `label` and `matrix`: `.`, `;name=` or, before pairs, `;` (RFC 6570, 3.2). */
function withoutPrefix(text: string, parameter: Parameter): string {
  const { name, style, explode, type } = parameter;
  const hasNames = style === 'matrix' && explode && !isScalar(type);
  const prefix = style === 'label' ? '.' : hasNames ? ';' : `;${name}=`;
  const sent = text.slice(0, prefix.length === 1 ? 1 : text.indexOf('=') + 1);
  if (sent !== prefix && decodePercent(sent) !== prefix) throw malformed(parameter, `must begin with ${prefix}`);
  return text.slice(sent.length);
}

/** Creates an object from alternating names and values: `a,1,b,2` -> a: 1, b: 2. */
function toMembers(texts: readonly string[], parameter: Parameter): Members {
  if (texts.length % 2 === 1) throw malformed(parameter, 'must consist of names and values: name,value');
  return toObject(
    texts.flatMap((text, index) => (index % 2 === 0 ? [[text, texts[index + 1] ?? ''] as const] : [])),
    parameter,
  );
}

function isScalar({ items, properties }: TextType): boolean {
  return items === undefined && properties === undefined;
}

function isExplodedObject({ in: location, style, explode, type }: Parameter): boolean {
  const isForm = (location === 'query' && style === 'form') || style === 'cookie';
  return isForm && explode && type.items === undefined && type.properties !== undefined;
}

/** Whether a parameter has the query parameters that belong to no other parameter. */
function isFreeForm(parameter: Parameter): boolean {
  return parameter.in === 'query' && parameter.type.additional !== undefined && isExplodedObject(parameter);
}

function cookieOf({ headers }: ParameterSource): string {
  return String(headers['cookie'] ?? '');
}
