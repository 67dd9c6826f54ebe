import { finding, type Finding } from './finding.ts';
import { child, elements, rawChild, rootOf, textAt, type Pair, type Place } from './place.ts';
import type { OperationPlace } from './parameters.ts';

type Server = { readonly url: string; readonly basePath: string; readonly place: Place };

/** Compares the server URLs of an operation, with variables at their defaults. */
export function compareServers({ base, revision }: Pair<OperationPlace>): readonly Finding[] {
  const before = serversOf(base);
  const after = serversOf(revision);
  const removed = before.flatMap(({ url, basePath, place }) => {
    if (after.some((server) => server.url === url)) return [];
    // Clients may configure the host, but a new base path changes every URL.
    return after.some((server) => server.basePath === basePath)
      ? [finding(undefined, 'api-server-removed', 'WARN', place, `server ${url} was removed`)]
      : [
          finding(
            undefined,
            'api-base-path-changed',
            'ERR',
            place,
            `the base path ${basePath} (${url}) is no longer served`,
          ),
        ];
  });
  const added = after
    .filter(({ url }) => !before.some((server) => server.url === url))
    .map(({ url, place }) => finding(undefined, 'api-server-added', 'INFO', place, `server ${url} was added`));
  return [...removed, ...added];
}

function serversOf({ item, place }: OperationPlace): readonly Server[] {
  const owners = [place, item, rootOf(place.document)];
  const lists = owners.flatMap((owner) => rawChild(owner, 'servers') ?? []);
  const servers = elements(lists.find((list) => elements(list).length > 0)).map(readServer);
  return servers.length > 0 ? servers : [{ url: '/', basePath: '/', place: rootOf(place.document) }];
}

function readServer(place: Place): Server {
  const variables = child(place, 'variables');
  const url = (textAt(place, 'url') ?? '/').replaceAll(
    /\{([^}]*)\}/g,
    (_match, name: string) => textAt(child(variables, name), 'default') ?? '',
  );
  const path = URL.parse(url, 'http://localhost/')?.pathname ?? url;
  return { url: url.replace(/\/$/, '') || '/', basePath: path.replace(/\/$/, '') || '/', place };
}
