import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { announce, createGuest, isAuthorized, log, type NewGuest } from './peer.ts';

// The lower bound: Node's own cost, with handwritten checks for one operation.
const server = createServer((req, res) => {
  const startedAt = performance.now();
  const respond = (status: number, body: object): void => {
    send(res, status, body);
    log.info({ method: req.method, url: req.url, status, durationMs: performance.now() - startedAt });
  };
  serve(req).then(
    ([status, body]) => {
      respond(status, body);
    },
    (error: unknown) => {
      log.error(error);
      respond(500, { error: 500, message: 'internal error' });
    },
  );
}).listen(0, '127.0.0.1', () => {
  announce(server.address());
});

async function serve(req: IncomingMessage): Promise<readonly [status: number, body: object]> {
  if (req.url !== '/guests' || req.method !== 'POST') return [404, { error: 404, message: 'not found' }];
  if (!isAuthorized(req.headers.authorization)) return [401, { error: 401, message: 'send a bearer token' }];
  const guest = parse(await read(req));
  return isNewGuest(guest) ? [200, await createGuest(guest)] : [400, { error: 400, message: 'not a NewGuest' }];
}

function read(req: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    req.setEncoding('utf8');
    req.on('data', (piece: string) => (text += piece));
    req.on('end', () => {
      resolve(text);
    });
    req.on('error', reject);
  });
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isNewGuest(value: unknown): value is NewGuest {
  if (typeof value !== 'object' || value === null) return false;
  const { id, name, tag } = value as Partial<Record<keyof NewGuest, unknown>>; // Any object may have these properties.
  return Number.isInteger(id) && typeof name === 'string' && (tag === undefined || typeof tag === 'string');
}

function send(res: ServerResponse, status: number, body: object): void {
  const text = JSON.stringify(body);
  res.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text);
}
