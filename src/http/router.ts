import findMyWay, { type HTTPMethod } from 'find-my-way';
import type { Contract } from '../contract/contract.ts';
import type { Operation } from '../contract/operation.ts';
import { Failure } from './failure.ts';

/** An operation, with the path parameters of the request, percent-decoded. */
export type Route = { readonly operation: Operation; readonly path: Readonly<Record<string, string | undefined>> };

/** What a request asks for: an operation, or which methods its path has (OPTIONS). */
export type Routed = Route | { readonly allow: string };

/**
 * Finds the operation for a method and a path (without a query). Paths are compared exactly: neither case nor a
 * trailing slash is forgiven. HEAD is served from GET, and OPTIONS by the methods of the path, where the document has
 * no such operation; of the path `*`, by those of all paths.
 *
 * @throws {Failure} 404 when the contract does not have the path, 405 when it has it with other methods
 */
export type Router = (method: string, path: string) => Routed;

type Entry = { readonly operation: Operation; readonly names: readonly string[] };

const NO_PARAMETERS = {};
// A request target is as long as Node lets a header be, so that this is never what turns a parameter away.
const MAX_PARAMETER_LENGTH = 16_384;

/** Makes the router from the generated table; it is the only route table there is. */
export function createRouter({ operations, basePaths }: Pick<Contract, 'operations' | 'basePaths'>): Router {
  const tree = findMyWay({ caseSensitive: true, maxParamLength: MAX_PARAMETER_LENGTH });
  const methods = new Set<HTTPMethod>();
  for (const operation of Object.values(operations)) {
    const method = operation.method as HTTPMethod; // The generator takes no method that Node does not know.
    methods.add(method);
    const entry: Entry = { operation, names: parameterNames(operation.path) };
    for (const basePath of basePaths) tree.on(method, pattern(basePath + operation.path), () => undefined, entry);
  }

  const find = (method: HTTPMethod, path: string): Route | undefined => {
    const found = tree.find(method, path);
    if (found === null) return undefined;
    const { operation, names } = found.store as Entry;
    if (names.length === 0) return { operation, path: NO_PARAMETERS };
    const values = Object.values(found.params);
    if (values.includes('')) return undefined; // A path parameter cannot be empty.
    return { operation, path: Object.fromEntries(names.map((name, index) => [name, values[index]])) };
  };

  return (method, path) => {
    if (path === '*' && method === 'OPTIONS') return { allow: allowOf([...methods]) };
    // A request target has no fragment (RFC 9112, 3.2); find-my-way would cut it off.
    if (path.includes('#')) throw new Failure(404, 'there is nothing at this path');
    const route = find(method as HTTPMethod, path) ?? (method === 'HEAD' ? find('GET', path) : undefined);
    if (route !== undefined) return route;
    const documented = [...methods].filter((other) => find(other, path) !== undefined);
    if (documented.length === 0) throw new Failure(404, 'there is nothing at this path');
    const allow = allowOf(documented);
    if (method === 'OPTIONS') return { allow };
    throw new Failure(405, `this path can be used with ${allow} only`, { allow });
  };
}

function allowOf(documented: readonly string[]): string {
  const implied = documented.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...documented, ...implied])].join(', ');
}

const TEMPLATE = /\{([^{}]+)\}/g;

/**
 * `/a/{id}:cancel` as find-my-way writes it. Parameters have a number there, for their names may have any character, and
 * a regular expression where something follows in the same segment, which would be taken into the name.
 */
function pattern(path: string): string {
  let count = 0;
  return path.replaceAll(/\{[^{}]+\}|[^{}]+/g, (part, at: number) => {
    if (!part.startsWith('{')) return part.replaceAll(':', '::');
    const rest = path.slice(at + part.length);
    const [segment = ''] = rest.split('/', 1);
    const [next = ''] = segment.split('{', 1);
    // A parameter before another ends where what follows it is found first: to look further would take more than
    // linear time, and find nothing else.
    const value = next === segment ? '(.+?)' : `(.(?:(?!${next.replaceAll(/[\\^$.*+?()[\]|]/g, '\\$&')}).)*)`;
    return `:p${String(count++)}${segment === '' ? '' : value}`;
  });
}

function parameterNames(path: string): string[] {
  return [...path.matchAll(TEMPLATE)].map(([, name = '']) => name);
}
