import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { integerOf, isInt64, parseJsonTree, stringifyJson, type JsonTree } from '@contract-first/contract';
import { cleanUp } from '@contract-first/testing/cleanup.ts';

export type ServerRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};
export type ServerAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};
export type Respond = (request: ServerRequest) => ServerAnswer;
/** Handles a request as a defective server. Throwing closes the connection. */
export type Defect = (request: ServerRequest, respond: Respond) => ServerAnswer;

export const TOKEN = 'reference-token';

/** Rejects a request with a status. */
export class Refusal extends Error {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(status: number, headers: Readonly<Record<string, string>> = {}) {
    super(`refused with ${String(status)}`);
    this.status = status;
    this.headers = headers;
  }
}

type Route = {
  readonly method: string;
  readonly path: RegExp;
  readonly handle: (request: ServerRequest, id: string) => ServerAnswer;
};

const ROUTES: readonly Route[] = [
  { method: 'GET', path: /^\/v1\/items$/, handle: findItems },
  { method: 'PUT', path: /^\/v1\/items\/([^/]+)$/, handle: putItem },
  { method: 'DELETE', path: /^\/v1\/items\/([^/]+)$/, handle: deleteItem },
  { method: 'POST', path: /^\/v1\/notes$/, handle: writeNote },
  { method: 'POST', path: /^\/v1\/files$/, handle: uploadFile },
  { method: 'GET', path: /^\/v1\/secrets$/, handle: readSecret },
];

/** Implements the reference document, independently of the checks. */
export const respond: Respond = (received) => {
  const request = { ...received, url: received.url.replace(/^https?:\/\/[^/]*/, '') };
  try {
    const [path = ''] = request.url.split('?');
    const routes = ROUTES.filter((route) => route.path.test(path));
    if (routes.length === 0) throw new Refusal(404);
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    const route = routes.find((route) => route.method === method);
    if (route === undefined) throw new Refusal(405, { Allow: routes.map(({ method }) => method).join(', ') });
    return route.handle(request, route.path.exec(path)?.[1] ?? '');
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return answerJson(error.status, { error: error.status, message: error.message }, error.headers);
  }
};

/** Starts the reference server, optionally with a defect. */
export async function startReferenceServer(defect: Defect = (request, answer) => answer(request)): Promise<string> {
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const headers = Object.fromEntries(Object.entries(req.headers).map(([name, value]) => [name, String(value)]));
      try {
        const body = Buffer.concat(chunks);
        const answer = defect({ method: req.method ?? '', url: req.url ?? '', headers, body }, respond);
        res.writeHead(answer.status, answer.headers).end(answer.body);
      } catch {
        req.socket.destroy();
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(() => {
    server.close();
    server.closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // A TCP address, not a pipe.
}

export function answerJson(
  status: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): ServerAnswer {
  return { status, headers: { ...headers, 'Content-Type': 'application/json' }, body: stringifyJson(body) };
}

function findItems(request: ServerRequest): ServerAnswer {
  mustKnowToken(request);
  const query = new Map(
    (request.url.split('?')[1] ?? '').split('&').map((pair) => {
      const [name = '', value = ''] = pair.split('=').map(decodeURIComponent);
      return [name, value] as const;
    }),
  );
  const integer = (name: string, min: bigint, max: bigint): void => {
    const text = query.get(name);
    if (text !== undefined && !isInteger(text, min, max)) throw new Refusal(400);
  };
  if (!query.get('text')) throw new Refusal(400);
  integer('limit', 1n, 2n ** 31n - 1n);
  integer('range[min]', -(2n ** 63n), 2n ** 63n - 1n);
  integer('range[max]', -(2n ** 63n), 2n ** 63n - 1n);
  if ([...query.keys()].some((name) => /^range(?!\[(?:min|max)\]$)/.test(name))) throw new Refusal(400);
  const kinds = query.get('kinds')?.split(',') ?? [];
  if (!kinds.every((kind) => ['tree', 'herb'].includes(kind))) throw new Refusal(400);
  const theme = /(?:^|; )theme=([^;]*)/.exec(request.headers['cookie'] ?? '')?.[1];
  if (theme !== undefined && !['dark', 'light'].includes(theme)) throw new Refusal(400);
  return answerJson(200, [{ id: 1, name: 'Fern' }], { 'X-Total': '1' });
}

function putItem(request: ServerRequest, id: string): ServerAnswer {
  mustKnowToken(request);
  mustBeId(id);
  if (request.headers['x-request-id'] === undefined) throw new Refusal(400);
  if (mediaTypeOf(request) !== 'application/json') throw new Refusal(415);
  let json: JsonTree;
  try {
    json = parseJsonTree(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(request.body));
  } catch {
    throw new Refusal(400);
  }
  return answerJson(200, readItem(json, json.root, ''), { ETag: '"1"' });
}

function deleteItem(request: ServerRequest, id: string): ServerAnswer {
  mustKnowToken(request);
  mustBeId(id);
  if (id !== '1') throw new Refusal(404);
  return { status: 204, headers: {}, body: '' };
}

function writeNote(request: ServerRequest): ServerAnswer {
  if (mediaTypeOf(request) !== 'text/plain') throw new Refusal(415);
  return { status: 201, headers: { 'Content-Type': 'text/plain; charset=utf-8' }, body: request.body.toString() };
}

function uploadFile(request: ServerRequest): ServerAnswer {
  if (request.headers['x-key'] !== TOKEN) throw new Refusal(401);
  const { body } = request;
  if (mediaTypeOf(request) === 'application/octet-stream') return answerJson(201, { bytes: body.length });
  if (mediaTypeOf(request) !== 'multipart/form-data') throw new Refusal(415);
  const boundary = /boundary=(.+)$/.exec(request.headers['content-type'] ?? '')?.[1];
  if (boundary === undefined || !body.includes(`--${boundary}--`)) throw new Refusal(400);
  const parts = body.toString().split(`--${boundary}`);
  const has = (name: string): boolean => parts.some((part) => part.includes(`; name="${name}"`));
  if (!has('title') || !has('file')) throw new Refusal(422);
  return answerJson(201, { bytes: body.length });
}

function readSecret(request: ServerRequest): ServerAnswer {
  const isAdmin = new URLSearchParams(request.url.split('?')[1]).get('admin') === TOKEN;
  if (!isAdmin) {
    mustKnowToken(request);
    if (request.headers['x-key'] !== TOKEN) throw new Refusal(401, { 'WWW-Authenticate': 'Bearer' });
  }
  return answerJson(200, 'none');
}

function mustKnowToken({ headers }: ServerRequest): void {
  const [scheme = '', token] = (headers['authorization'] ?? '').split(' ');
  if (scheme.toLowerCase() !== 'bearer' || token !== TOKEN) throw new Refusal(401, { 'WWW-Authenticate': 'Bearer' });
}

function mustBeId(text: string): void {
  if (!isInteger(decodeURIComponent(text), -(2n ** 63n), 2n ** 63n - 1n)) throw new Refusal(400);
}

function isInteger(text: string, min: bigint, max: bigint): boolean {
  return /^-?\d+$/.test(text) && BigInt(text) >= min && BigInt(text) <= max;
}

function mediaTypeOf({ headers }: ServerRequest): string | undefined {
  return headers['content-type']?.split(';', 1)[0]?.trim().toLowerCase();
}

const MEMBERS = ['id', 'name', 'count', 'note', 'parts'];

function readItem(json: JsonTree, holder: object, key: string): Record<string, unknown> {
  const item = (holder as Record<string, unknown>)[key];
  if (typeof item !== 'object' || item === null || Array.isArray(item)) throw new Refusal(400);
  const { name, count, note, parts } = item as Readonly<Record<string, unknown>>;
  const id = integerAt(json, item, 'id');
  const members = count === undefined ? undefined : integerAt(json, item, 'count');
  const isCount = members === undefined || (members >= 0n && members < 2n ** 31n);
  const isText = typeof name === 'string' && Array.from(name).length <= 40;
  const isNote = note === undefined || note === null || typeof note === 'string';
  const isList = parts === undefined || (Array.isArray(parts) && parts.length <= 3);
  if (!isText || !isNote || !isCount || !isList || !isInt64(id)) throw new Refusal(400);
  if (Object.keys(item).some((member) => !MEMBERS.includes(member))) throw new Refusal(400);
  const read = Array.isArray(parts) ? parts.map((_, index) => readItem(json, parts, String(index))) : undefined;
  return { id, name, count: members, note, parts: read };
}

function integerAt(json: JsonTree, holder: object, key: string): bigint {
  const value = (holder as Record<string, unknown>)[key];
  const exact = typeof value === 'number' ? integerOf(json.sourceDigits.get(holder, key) ?? String(value)) : undefined;
  if (exact === undefined) throw new Refusal(400);
  return exact;
}
