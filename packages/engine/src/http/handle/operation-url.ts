import {
  parameterNames,
  stringifyJson,
  type Contract,
  type FormatConverter,
  type Operation,
  type Parameter,
} from '@contract-first/contract';
import type { MountedRequest } from '../mounts.ts';
import type { Route } from '../router.ts';

/** The parameters of a link, by location and name. */
export type LinkParameters = {
  readonly path?: Readonly<Record<string, unknown>>;
  readonly query?: Readonly<Record<string, unknown>>;
};

/** The request whose response contains the link. */
type LinkedFrom = {
  readonly req: Pick<MountedRequest, 'url' | 'originalUrl' | 'baseUrl'>;
  readonly route: Route | undefined;
  /** The path of the request. */
  readonly path: string;
};

/**
 * Returns the absolute URL of an operation for the client of a request. The URL has the base path of the request's
 * server if the operation has the same server.
 *
 * @param origin the base URL at which the client reaches the service
 * @throws when the operation does not exist, or a parameter is missing or has a value that its style cannot express
 */
export function operationUrl(
  contract: Contract,
  formats: FormatConverter,
  { req, route, path }: LinkedFrom,
  origin: string,
  operationId: string,
  parameters: LinkParameters = {},
): string {
  const operation = contract.operations[operationId];
  if (operation === undefined) throw new Error(`there is no operation ${operationId}`);
  const { originalUrl, baseUrl = '', url = '' } = req;
  // If Express mounts the service below a path, the document does not include that path.
  const mount = originalUrl === undefined || originalUrl === url ? '' : baseUrl;
  // Encoding changes only values, not locations and names.
  const values = formats.encode(parameters, operation.formats?.parameters, '') as LinkParameters;
  const base = basePathOf(contract, operation, route, path);
  return `${origin}${mount}${base}${targetOf(operation, values)}`;
}

/** Returns the base path of the request if the operation has the same server, else the operation's first base path. */
function basePathOf(contract: Contract, operation: Operation, route: Route | undefined, path: string): string {
  const literal = operation.basePaths ?? contract.basePaths;
  const templated = operation.basePaths === undefined ? contract.templatedBasePaths : operation.templatedBasePaths;
  const template = route?.endpoint.route.slice(0, -route.operation.path.length);
  if (template === undefined || ![...literal, ...(templated ?? [])].includes(template)) return literal[0] ?? '';
  return path.split('/').slice(0, template.split('/').length).join('/');
}

/** Returns the path and the query of an operation's URL. */
function targetOf({ operationId, path, parameters }: Operation, values: LinkParameters): string {
  const find = (locations: readonly string[], name: string): Parameter => {
    const parameter = parameters.find((documented) => documented.name === name && locations.includes(documented.in));
    if (parameter !== undefined) return parameter;
    throw new Error(`${operationId} has no parameter ${name} in its ${locations[0] ?? ''}`);
  };
  let filled = path;
  for (const name of parameterNames(path)) {
    const value = values.path?.[name];
    const text = value === undefined ? '' : writeInPath(find(['path'], name), value);
    if (text === '') throw new Error(`the URL of ${operationId} needs the path parameter ${name}`);
    filled = filled.replace(`{${name}}`, () => text);
  }
  // Clients remove empty and dot segments from a URL, and would send the request to another path.
  const template = path.split('/');
  if (filled.split('/').some((segment, index) => segment !== template[index] && /^(?:\.|%2E){0,2}$/.test(segment)))
    throw new Error(`the URL of ${operationId} cannot have the path ${filled}`);
  const query = Object.entries(values.query ?? {}).filter(([, value]) => value !== undefined);
  const written = query.flatMap(([name, value]) => writeInQuery(find(['query', 'querystring'], name), value));
  return written.length === 0 ? filled : `${filled}?${written.join('&')}`;
}

/** The percent-encoded items or members of a value; for an object, also its `name=value` pairs. */
type Members = { readonly parts: readonly string[]; readonly pairs?: readonly string[] };

function membersOf(value: unknown): Members {
  if (Array.isArray(value)) return { parts: value.map(encode) };
  if (typeof value !== 'object' || value === null) return { parts: [encode(value)] };
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return {
    parts: members.flat().map(encode),
    pairs: members.map((member) => member.map(encode).join('=')),
  };
}

function encode(value: unknown): string {
  if (['string', 'number', 'bigint', 'boolean'].includes(typeof value))
    return encodeURIComponent(value as string | number);
  throw new Error(`a parameter cannot have ${stringifyJson(value)} as a part`);
}

/** Joins texts with a delimiter. @throws when a text contains the delimiter, which would split it */
function join(name: string, texts: readonly string[], delimiter: string): string {
  const found = texts.find((text) => decodeURIComponent(text).includes(decodeURIComponent(delimiter)));
  if (found === undefined) return texts.join(delimiter);
  throw new Error(`the style of the parameter ${name} does not allow ${decodeURIComponent(found)} in a list`);
}

const DELIMITERS: Readonly<Record<string, string>> = { spaceDelimited: '%20', pipeDelimited: '%7C' };

/** Serializes a parameter as `name=value` pairs of a query (OpenAPI 3.1, 4.8.12.3). */
function writeInQuery({ name, in: location, style, explode }: Parameter, value: unknown): readonly string[] {
  const key = encode(name);
  if (location === 'querystring' && style === 'form')
    return Object.entries(Object(value) as object).flatMap(([member, items]) =>
      [items].flat().map((item) => `${encode(member)}=${encode(item)}`),
    );
  const { parts, pairs } = membersOf(style === 'json' ? stringifyJson(value) : value);
  if (location === 'querystring') return parts;
  if (style === 'deepObject') return (pairs ?? []).map((pair) => `${key}%5B${pair.replace('=', '%5D=')}`);
  if (explode && pairs !== undefined) return pairs;
  const isRepeated = explode && Array.isArray(value);
  const delimiter = DELIMITERS[style];
  const joined = delimiter === undefined ? parts.join(',') : join(name, parts, delimiter);
  return (isRepeated ? parts : [joined]).map((text) => `${key}=${text}`);
}

/** Serializes a path parameter (OpenAPI 3.1, 4.8.12.3; RFC 6570, 3.2). */
function writeInPath({ name, style, explode }: Parameter, value: unknown): string {
  const { parts, pairs } = membersOf(style === 'json' ? stringifyJson(value) : value);
  const prefix = style === 'label' ? '.' : style === 'matrix' ? `;${encode(name)}=` : '';
  if (typeof value !== 'object' || style === 'json') return `${prefix}${parts.join()}`;
  if (!explode) return `${prefix}${parts.join()}`;
  if (style === 'matrix') return `;${(pairs ?? parts.map((part) => `${encode(name)}=${part}`)).join(';')}`;
  if (style !== 'label') return `${prefix}${(pairs ?? parts).join()}`;
  return `${prefix}${(pairs ?? parts).map((part) => part.replaceAll('.', '%2E')).join('.')}`;
}
