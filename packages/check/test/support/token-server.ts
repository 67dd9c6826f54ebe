import { answerJson, startReferenceServer, type ServerRequest } from './reference-server.ts';

/** The options of a service with expiring tokens. */
export type TokenServerOptions = {
  /** The number of requests for which a token is valid. */
  readonly uses?: number;
  /** Paths that always answer 401. */
  readonly refusing?: readonly string[];
  /** The number of issued tokens; later token requests get an OAuth error. */
  readonly grants?: number;
};

const done = { '200': { description: 'Done' }, '401': { description: 'No' } };

/** A document whose operations need one security scheme, both schemes, or either scheme. */
export const tokenDocument = {
  openapi: '3.1.0',
  info: { title: 'Tokens', version: '1' },
  paths: {
    '/a': { get: { operationId: 'getA', security: [{ oauth: ['read', 'write'] }], responses: done } },
    '/b': { get: { operationId: 'getB', security: [{ oauth: ['read'] }], responses: done } },
    '/key': { get: { operationId: 'getKey', security: [{ apiKey: [] }], responses: done } },
    '/either': { get: { operationId: 'getEither', security: [{ oauth: [] }, { apiKey: [] }], responses: done } },
    '/both': { get: { operationId: 'getBoth', security: [{ oauth: [], apiKey: [] }], responses: done } },
  },
  components: {
    securitySchemes: {
      oauth: { type: 'oauth2', flows: { clientCredentials: { tokenUrl: '/token', scopes: { read: '', write: '' } } } },
      apiKey: { type: 'apiKey', in: 'header', name: 'X-Key' },
    },
  },
};

export const SECRET = 'client-secret-5e2d';

/** Returns the nth issued token. The service accepts token 0 from the start. */
export function nthToken(count: number): string {
  return `token-${'abcdefghij'.charAt(count)}-4b8e2f`;
}

/** Starts the service, and records token requests and other requests. */
export async function startTokenServer({ uses = Infinity, refusing = [], grants = Infinity }: TokenServerOptions = {}) {
  const asked: ServerRequest[] = [];
  const requests: ServerRequest[] = [];
  let left = uses;
  const url = await startReferenceServer((request) => {
    const { method, headers } = request;
    const { pathname: path } = new URL(request.url, 'http://server');
    if (path === '/token') {
      asked.push(request);
      if (asked.length > grants) return answerJson(400, { error: 'invalid_client', error_description: SECRET });
      left = uses;
      return answerJson(200, { access_token: nthToken(asked.length), token_type: 'bearer' });
    }
    requests.push(request);
    if (!Object.hasOwn(tokenDocument.paths, path)) return { status: 404, headers: {}, body: '' };
    if (method !== 'GET') return { status: 405, headers: { Allow: 'GET' }, body: '' };
    const [, token] = /^bearer (.*)$/i.exec(headers['authorization'] ?? '') ?? [];
    const isCurrent = token === nthToken(asked.length) && left > 0;
    if (isCurrent) left -= 1;
    const isKeyGood = headers['x-key'] === 'key-of-anna';
    const isGood = { '/key': isKeyGood, '/either': isCurrent || isKeyGood, '/both': isCurrent && isKeyGood }[path];
    const isRefused = refusing.includes(path) || !(isGood ?? isCurrent);
    return { status: isRefused ? 401 : 200, headers: isRefused ? { 'WWW-Authenticate': 'Bearer' } : {}, body: '' };
  });
  return { url, asked, requests };
}
