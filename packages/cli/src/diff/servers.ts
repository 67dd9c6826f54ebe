import { finding, type Finding } from './finding.ts';
import { child, elements, rawChild, rootOf, textAt, type Pair, type Node } from './node.ts';
import type { OperationNode } from './parameters.ts';

type Server = { readonly url: string; readonly basePath: string; readonly node: Node };

/** Compares the server URLs of an operation, with variables at their defaults. */
export function compareServers({ base, revision }: Pair<OperationNode>): readonly Finding[] {
  const before = serversOf(base);
  const after = serversOf(revision);
  const removed = before.flatMap(({ url, basePath, node }) => {
    if (after.some((server) => server.url === url)) return [];
    // Clients may configure the host, but a new base path changes every URL.
    return after.some((server) => server.basePath === basePath)
      ? [finding(undefined, 'api-server-removed', 'WARN', node, `server ${url} was removed`)]
      : [
          finding(
            undefined,
            'api-base-path-changed',
            'ERR',
            node,
            `the base path ${basePath} (${url}) is no longer served`,
          ),
        ];
  });
  const added = after
    .filter(({ url }) => !before.some((server) => server.url === url))
    .map(({ url, node }) => finding(undefined, 'api-server-added', 'INFO', node, `server ${url} was added`));
  return [...removed, ...added];
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
