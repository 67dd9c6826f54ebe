import { finding, type Finding, type Level } from '../rules/finding.ts';
import { child, elements, rawChild, rootOf, textAt, type Node, type NodePair } from '../nodes/node.ts';
import type { OperationNode } from './parameters.ts';

type Server = {
  readonly url: string;
  readonly basePath: string;
  readonly node: Node;
};

/**
 * Compares the server URLs of an operation. If a prefix moved between the servers and the path, compares the URLs with
 * the paths.
 */
export function compareServers({ base, revision }: NodePair<OperationNode>): readonly Finding[] {
  const isPrefixMoved = templateOf(base.path) !== templateOf(revision.path) && hasSameAddress({ base, revision });
  const prefix = ({ path }: OperationNode): string => (isPrefixMoved ? templateOf(path) : '');
  const before = serversOf(base, prefix(base));
  const after = serversOf(revision, prefix(revision));
  const found = (rule: string, level: Level, { node }: Server, change: string): Finding =>
    finding({ name: '' }, `api-${rule}`, level, node, change);
  const removed = before
    .filter(({ url }) => !after.some((server) => server.url === url))
    .map((server) => {
      const { url, basePath } = server;
      // Only a warning if the base path remains, since clients may configure the host.
      return after.some((other) => other.basePath === basePath)
        ? found('server-removed', 'WARN', server, `server ${url} was removed`)
        : found('base-path-changed', 'ERR', server, `the base path ${basePath} (${url}) is no longer served`);
    });
  const added = after.filter(({ url }) => !before.some((server) => server.url === url));
  return [
    ...removed,
    ...added.map((server) => found('server-added', 'INFO', server, `server ${server.url} was added`)),
  ];
}

/** Returns the URLs of an operation on all servers, without parameter names. */
export function addressesOf(operation: OperationNode): readonly string[] {
  return serversOf(operation, templateOf(operation.path)).map(({ url }) => url);
}

/** Returns a path template without parameter names. */
export function templateOf(path: string): string {
  return path.replaceAll(/\{[^}]*\}/g, '{}');
}

function hasSameAddress({ base, revision }: NodePair<OperationNode>): boolean {
  const addresses = addressesOf(revision);
  return addressesOf(base).some((address) => addresses.includes(address));
}

/** @param path a path to append to each URL */
function serversOf({ item, node }: OperationNode, path: string): readonly Server[] {
  const owners = [node, item, rootOf(node.document)];
  const lists = owners.flatMap((owner) => rawChild(owner, 'servers') ?? []);
  const nodes = elements(lists.find((list) => elements(list).length > 0));
  const servers =
    nodes.length > 0 ? nodes.flatMap(readServers) : [{ url: '/', basePath: '/', node: rootOf(node.document) }];
  const withPath = (base: string): string => base.replace(/\/$/, '') + path || '/';
  return servers.map((one) => ({ ...one, url: withPath(one.url), basePath: withPath(one.basePath) }));
}

/** Returns the servers of a template: with all variables at their defaults, and with each value of one variable. */
function readServers(node: Node): readonly Server[] {
  const template = textAt(node, 'url') ?? '/';
  const variables = child(node, 'variables');
  const names = [...template.matchAll(/\{([^}]*)\}/g)].map(([, name = '']) => name);
  const defaults = new Map(names.map((name) => [name, textAt(child(variables, name), 'default') ?? '']));
  // All combinations of the values would be too many.
  const others = names.flatMap((name) =>
    elements(child(child(variables, name), 'enum')).map(({ value }) => new Map([...defaults, [name, String(value)]])),
  );
  const urls = [defaults, ...others].map((values) =>
    template.replaceAll(/\{([^}]*)\}/g, (_match, name: string) => values.get(name) ?? ''),
  );
  return [...new Set(urls)].map((url) => serverAt(url, node));
}

/** Reads a URL. Letter case and default ports have no effect in the host of an absolute URL. */
function serverAt(url: string, node: Node): Server {
  const absolute = URL.parse(url)?.href ?? url;
  const path = URL.parse(url, 'http://localhost/')?.pathname ?? url;
  return { url: absolute.replace(/\/$/, '') || '/', basePath: path.replace(/\/$/, '') || '/', node };
}
