import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { normalizePath, type Contract } from '@contract-first/contract';
import { withoutOrigin } from './accept/http-rules.ts';

/** A request with the fields that Express adds where middleware is mounted below a path. */
export type MountedRequest = IncomingMessage & {
  /** The path of the mount: `/v1`. */
  baseUrl?: string;
  /** The target of the request. `url` may lack the path of the mount. */
  originalUrl?: string;
};

/** Returns the paths below which a document is served, without parameters and without a trailing slash: `/v1`. */
export function mountsOf({ basePaths, templatedBasePaths = [], operations }: Contract): readonly string[] {
  const own = Object.values(operations).flatMap((operation) => [
    ...(operation.basePaths ?? []),
    ...(operation.templatedBasePaths ?? []),
  ]);
  return [...new Set([...basePaths, ...templatedBasePaths, ...own].map((path) => path.replace(/\/[^/]*\{.*$/, '')))];
}

/**
 * Creates a listener that passes each request to the service below one of whose paths it is, the longest one first. Other
 * requests go to the first service, which answers 404.
 *
 * @param services no two have a path in common
 */
export function createDispatcher(
  services: readonly { readonly mounts: readonly string[]; readonly app: RequestListener }[],
): RequestListener {
  const routes = services
    .flatMap(({ mounts, app }) => mounts.map((path) => ({ path: normalizePath(path), app })))
    .sort((one, other) => other.path.length - one.path.length);
  return (req: MountedRequest, res: ServerResponse) => {
    const { url = '' } = req;
    req.originalUrl = req.url = withoutOrigin(url) ?? url; // The service answers an invalid target.
    const target = normalizePath(req.url);
    const { path = '', app = services[0]?.app } = routes.find((route) => isBelow(target, route.path)) ?? {};
    req.baseUrl = path;
    app?.(req, res);
  };
}

/** Whether a path, which may have a query, is a path or one below it. */
export function isBelow(path: string, mount: string): boolean {
  return path.startsWith(mount) && (path.length === mount.length || /^[/?]/.test(path.slice(mount.length)));
}
