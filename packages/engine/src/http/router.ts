import {
  matchSegment,
  normalizePath,
  parameterNames,
  parseSegment,
  segmentKey,
  type Contract,
  type Operation,
  type SegmentTemplate,
} from '@contract-first/contract';
import { Failure, methodFailure } from './failure.ts';
import type { Endpoint } from './observer.ts';

export type Route = {
  readonly operation: Operation;
  readonly endpoint: Endpoint;
  /** The path parameters of the request, still percent-encoded. Decoding them cannot fail. */
  readonly path: Readonly<Record<string, string | undefined>>;
};

/** The response to OPTIONS: the methods of a path, as in the Allow header, and its operations. */
export type AllowedMethods = { readonly allow: string; readonly operations: readonly Operation[] };

/**
 * Finds the operation for a method and a path without its query. Paths match exactly: case and trailing slashes count.
 * The dot segments `.` and `..` match no parameter.
 * Unless documented, HEAD is routed to GET, and OPTIONS returns the methods of the path. The path `*` has the methods
 * of all paths.
 *
 * @throws {Failure} 404 when the path is not documented, 405 when it is documented with other methods only
 */
export type Router = (method: string, path: string) => Route | AllowedMethods;

type RoutedContract = Pick<Contract, 'operations' | 'basePaths' | 'templatedBasePaths'>;

/** A node of the routing tree: its child nodes by path segment, and its operations by method. */
type Node = {
  readonly literals: Map<string, Node>;
  /** Sorted by the length of the template, the longest first. */
  readonly templates: { readonly source: string; readonly template: SegmentTemplate; readonly node: Node }[];
  readonly operations: Map<string, Entry>;
};

/** The segments of the path of a request. */
type Segments = { readonly sent: readonly string[]; readonly normalized: readonly string[] };

type Entry = Pick<Route, 'operation' | 'endpoint'> & {
  /** The parameters of the operation's path. */
  readonly names: readonly string[];
  /** The number of parameters in the base path, which precede the parameters of the operation's path. */
  readonly skipped: number;
};

const NO_PARAMETERS = Object.freeze({});
const NOT_FOUND = 'this path does not exist';

/**
 * Creates the router from the generated operations, which are the only route table. Lookup time is linear in the length
 * of the path. If two operations have the same method and path, the first is used.
 */
export function createRouter({ operations, basePaths, templatedBasePaths = [] }: RoutedContract): Router {
  const root = createNode();
  const methods = new Set<string>();
  for (const operation of Object.values(operations)) {
    methods.add(operation.method);
    for (const basePath of operation.basePaths ?? basePaths) insert(root, basePath, operation);
  }
  // Inserted last: a server path with variables must not shadow an operation below a literal server path.
  for (const operation of Object.values(operations)) {
    const templates = operation.basePaths === undefined ? templatedBasePaths : (operation.templatedBasePaths ?? []);
    for (const basePath of templates) insert(root, basePath, operation);
  }

  const find = (method: string, segments: Segments): Route | undefined => search(root, method, segments, 1, []);

  // A cache of the routes without parameters, by method and path.
  const exact = new Map([...methods].map((method) => [method, new Map<string, Route>()]));

  return (method, path) => {
    const known = exact.get(method)?.get(path);
    if (known !== undefined) return known;
    if (path === '*' && method === 'OPTIONS') return { allow: allowOf([...methods]), operations: [] };
    // A request target has no fragment (RFC 9112, 3.2).
    if (path.includes('#')) throw new Failure(404, NOT_FOUND);
    const segments = { sent: path.split('/'), normalized: normalizePath(path).split('/') };
    const route = find(method, segments) ?? (method === 'HEAD' ? find('GET', segments) : undefined);
    if (route !== undefined) {
      if (route.path === NO_PARAMETERS && route.endpoint.route === path) exact.get(method)?.set(path, route);
      return route;
    }
    const documented = [...methods].flatMap((other) => find(other, segments)?.operation ?? []);
    if (documented.length === 0) throw new Failure(404, NOT_FOUND);
    const allow = allowOf(documented.map((operation) => operation.method));
    if (method === 'OPTIONS') return { allow, operations: documented };
    throw methodFailure(allow);
  };
}

function createNode(): Node {
  return { literals: new Map(), templates: [], operations: new Map() };
}

function insert(root: Node, basePath: string, operation: Operation): void {
  const { method, path } = operation;
  const template = basePath + path;
  let node = root;
  for (const segment of template.split('/').slice(1)) node = childOf(node, segment);
  if (node.operations.has(method)) return;
  const skipped = parameterNames(basePath).length;
  const endpoint = { operationId: operation.operationId, route: template };
  node.operations.set(method, { operation, endpoint, names: parameterNames(path), skipped });
}

function childOf(node: Node, segment: string): Node {
  const template = parseSegment(segment);
  const key = segmentKey(segment);
  if (template === undefined) {
    const child = node.literals.get(key) ?? createNode();
    node.literals.set(key, child);
    return child;
  }
  const existing = node.templates.find(({ source }) => source === key);
  if (existing !== undefined) return existing.node;
  const child = createNode();
  node.templates.push({ source: key, template, node: child });
  node.templates.sort((a, b) => b.source.length - a.source.length);
  return child;
}

/** Searches the tree, literal segments before templates. Visits each node at most once. */
function search(
  node: Node,
  method: string,
  segments: Segments,
  index: number,
  values: readonly string[],
): Route | undefined {
  const segment = segments.normalized[index];
  if (segment === undefined) return routeOf(node, method, values);
  const literal = node.literals.get(segment);
  const found = literal && search(literal, method, segments, index + 1, values);
  if (found !== undefined) return found;
  // Clients remove dot segments (RFC 3986, 5.2.4), so no URL has one as the value of a parameter.
  if (segment === '.' || segment === '..') return undefined;
  for (const { template, node: child } of node.templates) {
    const matched = matchSegment(template, segment);
    if (matched === undefined) continue;
    const texts = matched[0] === segment ? [segments.sent[index] ?? ''] : matched;
    const route = search(child, method, segments, index + 1, [...values, ...texts]);
    if (route !== undefined) return route;
  }
  return undefined;
}

function routeOf({ operations }: Node, method: string, values: readonly string[]): Route | undefined {
  const entry = operations.get(method);
  if (entry === undefined) return undefined;
  const { operation, endpoint, names, skipped } = entry;
  if (names.length === 0) return { operation, endpoint, path: NO_PARAMETERS };
  const texts = values.slice(skipped);
  // Percent-encoded bytes that are not UTF-8 match no path.
  if (!texts.every(canBeDecoded)) return undefined;
  return { operation, endpoint, path: Object.fromEntries(names.map((name, index) => [name, texts[index]])) };
}

function canBeDecoded(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}

function allowOf(documented: readonly string[]): string {
  const implied = documented.includes('GET') ? ['HEAD', 'OPTIONS'] : ['OPTIONS'];
  return [...new Set([...documented, ...implied])].join(', ');
}
