import { parameterNames } from '@contract-first/contract';
import { decode } from '@contract-first/documents';
import { type ApiOperation, type ApiParameter, pathPattern } from '@contract-first/model/operations';
import { readingsOf, type WireRequest } from '@contract-first/model/requests';
import { mergeAllOf, type Json, type JsonSchema, type SchemaDocument } from '@contract-first/model/values';

type Pair = readonly [name: string, text: string];

/** The parameter names and texts of a request, by location. */
export type SentParameters = Readonly<Record<ApiParameter['in'], readonly Pair[]>>;

/** Parses the parameters of a sent request. */
export function readSentParameters(
  { path }: Pick<ApiOperation, 'path'>,
  { target, headers }: WireRequest,
): SentParameters {
  const [requestPath = '', query = ''] = target.split(/\?(.*)/s);
  const cookies = headers.filter(([name]) => name.toLowerCase() === 'cookie').flatMap(([, text]) => text.split('; '));
  return {
    path: readPath(path, requestPath),
    query: query.split('&').map(readPair),
    header: headers.map(([name, text]) => [name.toLowerCase(), text]),
    cookie: cookies.map(readPair),
  };
}

/**
 * Returns the values that a server may parse for a parameter. Returns `undefined` if the parameter is absent.
 *
 * @param properties the property names of an object
 */
export function sentValuesOf(
  parameter: ApiParameter,
  properties: readonly string[],
  sent: SentParameters,
): readonly Json[] | undefined {
  const { in: place, style, explode, isJson } = parameter;
  const name = place === 'header' ? parameter.name.toLowerCase() : parameter.name;
  const pairs = sent[place];
  const texts = pairs.filter(([other]) => other === name).map(([, text]) => text);
  if (style === 'deepObject') {
    const members = pairs.flatMap(([other, text]): Pair[] =>
      other.startsWith(`${name}[`) && other.endsWith(']') ? [[other.slice(name.length + 1, -1), text]] : [],
    );
    if (members.length > 0) return readingsOf(Object.fromEntries(members));
  }
  if (style === 'form' && explode && texts.length === 0) {
    const members = pairs.filter(([other]) => properties.includes(other));
    return members.length === 0 ? undefined : readingsOf(Object.fromEntries(members));
  }
  const [text] = texts;
  if (text === undefined) return undefined;
  if (isJson) return readJson(text);
  if (texts.length > 1) return readingsOf(texts);
  const object = properties.length === 0 ? [] : readingsOf(readObject(text, explode));
  return [...readingsOf(text), ...object];
}

/** Lists the names of a schema's properties. */
export function propertyNamesOf(schemas: SchemaDocument, schema: JsonSchema | undefined): readonly string[] {
  const flat = schema === undefined ? true : mergeAllOf(schemas, schema);
  return Object.keys(Object((Object(flat) as { readonly properties?: object }).properties) as object);
}

function readPath(template: string, path: string): readonly Pair[] {
  const names = parameterNames(template);
  const texts = pathPattern(template, '([^/]*?)').exec(path)?.slice(1) ?? [];
  return texts.map((text, index) => [names[index] ?? '', decode(text)]);
}

function readPair(pair: string): Pair {
  const [name = '', ...rest] = pair.split('=');
  return [decode(name), decode(rest.join('='))];
}

/** Parses an object: `a,1,b,2` without `explode`, `a=1,b=2` with `explode`. */
function readObject(text: string, explode: boolean): Json {
  const parts = text.split(/[ ,|]/);
  if (explode) return Object.fromEntries(parts.map(readPair));
  const names = parts.filter((_, index) => index % 2 === 0);
  return Object.fromEntries(names.map((name, index) => [name, parts[2 * index + 1] ?? '']));
}

function readJson(text: string): readonly Json[] {
  try {
    const value = JSON.parse(text) as Json;
    return [value];
  } catch {
    return [];
  }
}
