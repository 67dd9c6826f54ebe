import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { normalizePath, type Contract } from '@contract-first/contract';
import { withoutOrigin } from './accept/http-rules.ts';

/** A request with the properties that Express adds for middleware mounted below a path. */
export type MountedRequest = IncomingMessage & {
  /** The path of the mount: `/v1`. */
  baseUrl?: string;
  /** The request target. `url` may lack the path of the mount. */
  originalUrl?: string;
};

/** Returns the paths below which a document is served, without parameters and without a trailing slash: `/v1`. */
export function mountsOf({ basePaths, templatedBasePaths = [], operations }: Contract): readonly string[] {
  const pathsOfOperations = Object.values(operations).flatMap((operation) => [
    ...(operation.basePaths ?? []),
    ...(operation.templatedBasePaths ?? []),
  ]);
  return [
    ...new Set(
      [...basePaths, ...templatedBasePaths, ...pathsOfOperations].map((path) => path.replace(/\/[^/]*\{.*$/, '')),
    ),
  ];
}

/**
 * Creates a listener that passes each request to the service with the longest matching mount path. Requests that match
 * no mount go to the first service, which answers 404.
 *
 * @param services must have distinct mount paths
 */
export function createDispatcher(
  services: readonly { readonly mounts: readonly string[]; readonly app: RequestListener }[],
): RequestListener {
  const routes = services
    .flatMap(({ mounts, app }) => mounts.map((path) => ({ path: normalizePath(path), app })))
    .sort((one, other) => other.path.length - one.path.length);
  return (req: MountedRequest, res: ServerResponse) => {
    const { url = '' } = req;
    req.originalUrl = req.url = withoutOrigin(url) ?? url; // The service rejects an invalid target.
    const target = normalizePath(req.url);
    const { path = '', app = services[0]?.app } = routes.find((route) => isBelow(target, route.path)) ?? {};
    req.baseUrl = path;
    app?.(req, res);
  };
}

/** Whether a request target is the mount path or below it. */
export function isBelow(path: string, mount: string): boolean {
  return path.startsWith(mount) && (path.length === mount.length || /^[/?]/.test(path.slice(mount.length)));
}
