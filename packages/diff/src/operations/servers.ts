import { finding, type Finding, type Level } from '../rules/finding.ts';
import { child, elements, rawChild, rootOf, textAt, type Node, type NodePair } from '../nodes/node.ts';
import type { OperationNode } from './parameters.ts';

type Server = { readonly url: string; readonly basePath: string; readonly node: Node };

/** Compares the server URLs of an operation, with variables at their defaults. */
export function compareServers({ base, revision }: NodePair<OperationNode>): readonly Finding[] {
  const before = serversOf(base);
  const after = serversOf(revision);
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

function serversOf({ item, node }: OperationNode): readonly Server[] {
  const owners = [node, item, rootOf(node.document)];
  const lists = owners.flatMap((owner) => rawChild(owner, 'servers') ?? []);
  const servers = elements(lists.find((list) => elements(list).length > 0)).map(readServer);
  return servers.length > 0 ? servers : [{ url: '/', basePath: '/', node: rootOf(node.document) }];
}

function readServer(node: Node): Server {
  const variables = child(node, 'variables');
  const url = (textAt(node, 'url') ?? '/').replaceAll(
    /\{([^}]*)\}/g,
    (_match, name: string) => textAt(child(variables, name), 'default') ?? '',
  );
  const path = URL.parse(url, 'http://localhost/')?.pathname ?? url;
  return { url: url.replace(/\/$/, '') || '/', basePath: path.replace(/\/$/, '') || '/', node };
}
