import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Contract } from '@contract-first/contract';
import type { PreparedResponse } from '../http/reply/response.ts';
import { send } from '../http/reply/send.ts';
import { methodFailure, type Failure } from '../http/failure.ts';
import { findViolation } from '../http/accept/http-rules.ts';
import type { MountedRequest } from '../http/mounts.ts';
import { createRouter } from '../http/router.ts';

/** Middleware that serves the docs page and the documents, and passes on other requests. */
export type Docs = (req: IncomingMessage, res: ServerResponse, next: (failure?: Failure) => void) => void;

/** Whether to serve the docs page. The default in development is `if possible`. */
export type DocsSetting = boolean | 'if possible';

/** The text of a document. The JSON is bundled if the document consists of several files. */
export type DocumentText = { readonly json: string; readonly yaml: string };

/** Returns texts by title for the docs page: the state of a mock, as JSON by path. */
export type ReadState = () => Readonly<Record<string, string>>;

/** The docs page is enabled but cannot be served. */
export class DocsUnavailable extends Error {}

// Swagger UI needs no inline scripts or styles and no other origin. Icons are data: URLs; images in responses, blob:
// URLs.
const CONTENT_SECURITY_POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data: blob:; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

/**
 * Loads the contents of `/docs`, `/openapi.json` and `/openapi.yaml`, below the path where the application is mounted.
 * The page sends its requests to its own origin. `/` redirects to the page unless the contract defines it.
 *
 * @param document the text of the document, or the folder of `openapi.yaml` and `generated/openapi.json`
 * @param state returns the state that the page shows; called on each load
 * @returns `undefined` when the docs are not served
 * @throws {DocsUnavailable} when the setting is `true` and a file is missing or the contract defines one of the paths
 */
export function openDocs(
  setting: DocsSetting,
  contract: Contract,
  document: DocumentText | URL | undefined,
  state?: ReadState,
): Docs | undefined {
  if (setting === false) return undefined;
  try {
    if (document === undefined) throw new DocsUnavailable('DOCS=on needs the document of the application');
    return createDocs(contract, document instanceof URL ? readText(document) : document, state);
  } catch (error) {
    if (setting === 'if possible' && error instanceof DocsUnavailable) return undefined;
    throw error;
  }
}

function createDocs(contract: Contract, text: DocumentText, state: ReadState | undefined): Docs {
  const { basePaths } = contract;
  // Swagger UI reads numbers as doubles, too.
  const document = JSON.parse(text.json) as object;
  /** @param prefix the relative path from the docs page to the mount path: `..` */
  const withServers = (prefix: string): PreparedResponse => {
    const servers = basePaths.map((path) => ({ url: prefix + path || '/', description: 'This service' }));
    return createPage('application/json', JSON.stringify({ ...document, servers }));
  };
  const html = readAsset('page.html').toString();
  const stateHtml = state === undefined ? '' : readAsset('state.html').toString();
  const pages = new Map<string, PreparedResponse | (() => PreparedResponse)>([
    [
      '/docs',
      createPage(
        'text/html; charset=utf-8',
        html.replace('</main>\n', (end) => end + stateHtml),
        {
          'content-security-policy': CONTENT_SECURITY_POLICY,
        },
      ),
    ],
    ['/docs/page.css', createPage('text/css', readAsset('page.css'))],
    ['/docs/page.js', createPage('text/javascript', readAsset('page.js'))],
    ['/docs/swagger-ui.css', createPage('text/css', readLibrary('swagger-ui.css'))],
    ['/docs/swagger-ui-bundle.js', createPage('text/javascript', readLibrary('swagger-ui-bundle.js'))],
    ['/docs/openapi.json', withServers('')],
    ['/openapi.json', createPage('application/json', text.json)],
    ['/openapi.yaml', createPage('application/yaml', text.yaml)],
    ...(state === undefined ? [] : statePages(state)),
  ]);
  const isDocumented = createPathCheck(contract);
  const conflicts = [...pages.keys()].filter(isDocumented);
  if (conflicts.length > 0)
    throw new DocsUnavailable(`DOCS=on: the contract defines ${conflicts.join(', ')}; set DOCS=off`);
  let mountedDocument: PreparedResponse | undefined;

  return (req: MountedRequest, res, next) => {
    const { url = '', originalUrl = url, baseUrl = '' } = req;
    const path = pathOf(originalUrl.slice(baseUrl.length)) || '/';
    const page = findPage();
    // Invalid messages are left to the pipeline, so they get the same response on every path.
    if (page === undefined || isDocumented(pathOf(url)) || findViolation(req) !== undefined) next();
    else {
      void respond(req, res, page).catch(next);
    }

    function findPage(): PreparedResponse | undefined {
      if (path === '/') return { status: 302, headers: { location: `${baseUrl}/docs` }, body: undefined };
      const isBelowMount = url !== originalUrl;
      if (path === '/docs/openapi.json' && isBelowMount) return (mountedDocument ??= withServers('..'));
      const page = pages.get(path);
      return typeof page === 'function' ? page() : page;
    }
  };
}

function statePages(
  state: ReadState,
): readonly (readonly [path: string, page: PreparedResponse | (() => PreparedResponse)])[] {
  return [
    ['/docs/state.js', createPage('text/javascript', readAsset('state.js'))],
    ['/docs/state.json', () => createPage('application/json', JSON.stringify(state()))],
  ];
}

function pathOf(target: string): string {
  return target.split('?', 1)[0] ?? '';
}

async function respond(req: IncomingMessage, res: ServerResponse, page: PreparedResponse): Promise<void> {
  // Node sets `complete` after the header event, even without a body. The connection is kept alive only when it is set.
  if (!req.complete) await setImmediate();
  if (req.method !== 'GET' && req.method !== 'HEAD') throw methodFailure('GET, HEAD');
  send(req, res, page);
}

function createPage(
  mediaType: string,
  body: PreparedResponse['body'],
  headers: PreparedResponse['headers'] = {},
): PreparedResponse {
  return { status: 200, headers: { 'content-type': mediaType, ...headers }, body };
}

function readText(folder: URL): DocumentText {
  const readIn = (name: string): string => read(() => new URL(name, folder), `the file ${basename(name)}`).toString();
  return { json: readIn('generated/openapi.json'), yaml: readIn('openapi.yaml') };
}

function readAsset(name: string): Buffer {
  return read(() => new URL(name, import.meta.url), `the file ${basename(name)}`);
}

function readLibrary(name: string): Buffer {
  // The published package contains these files; in the repository, they are in a development dependency.
  const missing = 'the package swagger-ui-dist, which npm ci --omit=dev leaves out';
  return read(() => new URL(import.meta.resolve(`#swagger-ui/${name}`)), missing);
}

function read(locate: () => string | URL, requirement: string): Buffer {
  try {
    return readFileSync(locate());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_MODULE_NOT_FOUND' && code !== 'ENOENT') throw error;
    throw new DocsUnavailable(`DOCS=on needs ${requirement}`, { cause: error });
  }
}

/** Returns a function that checks whether the contract defines a path. Operations take precedence over docs pages. */
function createPathCheck(contract: Contract): (path: string) => boolean {
  const route = createRouter(contract);
  return (path) => {
    try {
      route('OPTIONS', path);
      return true;
    } catch {
      return false;
    }
  };
}
