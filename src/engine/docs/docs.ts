import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import { basename } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { Contract } from '../contract/contract.ts';
import { answerFailure, send, type Answer } from '../http/response.ts';
import { Failure } from '../http/failure.ts';
import { findViolation } from '../http/message.ts';
import { createRouter } from '../http/router.ts';

/** Middleware for the page and the documents; passes on whatever is not theirs. */
export type Docs = (req: IncomingMessage, res: ServerResponse, next: () => void) => void;

/** `if possible` where nobody has decided. */
export type DocsSetting = 'on' | 'off' | 'if possible';

/** The page was asked for and cannot be served. */
export class DocsUnavailable extends Error {}

// Swagger UI needs no more than this: no inline script or style, nothing from elsewhere. Its icons are data: URLs.
const POLICY = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ');

/**
 * Reads what `/docs`, `/openapi.json` and `/openapi.yaml` answer. The page sends its requests to where it came from.
 *
 * @returns `undefined` when there is to be no page
 * @throws {DocsUnavailable} when it is `on` and what it needs is not installed, or the contract has one of its paths
 */
export function openDocs(setting: DocsSetting, contract: Contract): Docs | undefined {
  if (setting === 'off') return undefined;
  try {
    return createDocs(contract);
  } catch (error) {
    if (setting === 'if possible' && error instanceof DocsUnavailable) return undefined;
    throw error;
  }
}

function createDocs(contract: Contract): Docs {
  const { document, basePaths } = contract;
  const servers = basePaths.map((path) => ({ url: path === '' ? '/' : path, description: 'This service' }));
  const pages = new Map<string, Answer>([
    ['/docs', page('text/html; charset=utf-8', readOwn('page.html'), { 'content-security-policy': POLICY })],
    ['/docs/page.css', page('text/css', readOwn('page.css'))],
    ['/docs/page.js', page('text/javascript', readOwn('page.js'))],
    ['/docs/swagger-ui.css', page('text/css', readLibrary('swagger-ui.css'))],
    ['/docs/swagger-ui-bundle.js', page('text/javascript', readLibrary('swagger-ui-bundle.js'))],
    ['/docs/openapi.json', page('application/json', JSON.stringify({ ...document, servers }))],
    ['/openapi.json', page('application/json', JSON.stringify(document))],
    ['/openapi.yaml', page('application/yaml', readOwn('../../../openapi.yaml'))],
  ]);
  refuseSharedPaths(contract, [...pages.keys()]);

  return (req, res, next) => {
    const [path = ''] = (req.url ?? '').split('?');
    const found = pages.get(path);
    // A message that is not valid gets the same answer on every path.
    if (found === undefined || findViolation(req) !== undefined) next();
    else void answer(req, res, found);
  };
}

async function answer(req: IncomingMessage, res: ServerResponse, found: Answer): Promise<void> {
  // The end of the message comes after its header, even of one without a body; then its connection can go on.
  if (!req.complete) await setImmediate();
  const isRead = req.method === 'GET' || req.method === 'HEAD';
  const allow = 'GET, HEAD';
  send(
    req,
    res,
    isRead ? found : answerFailure(new Failure(405, `this path can be used with ${allow} only`, { allow })),
  );
}

function page(mediaType: string, body: Answer['body'], headers: Answer['headers'] = {}): Answer {
  return { status: 200, headers: { 'content-type': mediaType, ...headers }, body };
}

function readOwn(name: string): Buffer {
  return read(() => new URL(name, import.meta.url), `the file ${basename(name)}`);
}

function readLibrary(name: string): Buffer {
  const missing = 'the package swagger-ui-dist, which npm ci --omit=dev leaves out';
  return read(() => createRequire(import.meta.url).resolve(`swagger-ui-dist/${name}`), missing);
}

function read(locate: () => string | URL, what: string): Buffer {
  try {
    return readFileSync(locate());
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'MODULE_NOT_FOUND' && code !== 'ENOENT') throw error;
    throw new DocsUnavailable(`DOCS=on needs ${what}`, { cause: error });
  }
}

/** The interface is the contract: a path that both have is the contract's. */
function refuseSharedPaths(contract: Contract, paths: readonly string[]): void {
  const route = createRouter(contract);
  const isDocumented = (path: string): boolean => {
    try {
      route('OPTIONS', path);
      return true;
    } catch {
      return false;
    }
  };
  const shared = paths.filter(isDocumented);
  if (shared.length > 0) throw new DocsUnavailable(`DOCS=on: the contract has ${shared.join(', ')} itself`);
}
