import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { documentWith } from '@contract-first/testing/document.ts';
import { checkCommand } from '../src/command.ts';
import { startReferenceServer, type ServerAnswer, type ServerRequest } from './support/reference-server.ts';

// A service that issues its own tokens: it registers users, and logs them in.

type Note = { readonly owner: string; readonly text: string };

const text = { type: 'string' };
const object = (properties: object) => ({ type: 'object', properties, required: Object.keys(properties) });
const json = (schema: object) => ({ content: { 'application/json': { schema } } });
const password = { type: 'string', format: 'password' };
const signedIn = { description: 'Signed in.', ...json(object({ user: object({ token: text }) })) };
const refused = { description: 'Refused.' };
const note = { description: 'The note.', ...json(object({ id: text, text })) };
const taking = (schema: object) => ({ required: true, ...json(schema) });
const secured = { security: [{ key: [] }] };
const path = { parameters: [{ name: 'id', in: 'path', required: true, schema: text }] };
const DOCUMENT = documentWith(
  {
    '/users': {
      post: {
        operationId: 'register',
        requestBody: taking(object({ user: object({ name: text, password }) })),
        responses: { 201: signedIn, 409: refused, 422: refused },
      },
    },
    '/login': {
      post: {
        operationId: 'login',
        requestBody: taking(object({ user: object({ name: text, password }) })),
        responses: { 200: signedIn, 401: refused, 422: refused },
      },
    },
    '/notes': {
      post: {
        operationId: 'addNote',
        ...secured,
        requestBody: taking(object({ text })),
        responses: { 201: note, 401: refused, 422: refused },
      },
    },
    '/notes/{id}': {
      get: { operationId: 'getNote', ...secured, ...path, responses: { 200: note, 401: refused, 404: refused } },
    },
  },
  { components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'Authorization' } } } },
);

/** Starts the service. @param isOpen whether every user may read every note */
async function startService(isOpen: boolean) {
  const users = new Map<string, { readonly password: string; readonly token: string }>();
  const notes = new Map<string, Note>();
  const reply = (status: number, body?: object): ServerAnswer => ({
    status,
    headers: body === undefined ? {} : { 'Content-Type': 'application/json' },
    body: body === undefined ? '' : JSON.stringify(body),
  });
  const url = await startReferenceServer(({ method, url: target, headers, body }: ServerRequest) => {
    const { pathname } = new URL(target, 'http://localhost');
    const known = Object.entries(DOCUMENT.paths as object).find(([template]) =>
      new RegExp(`^${template.replace('{id}', '[^/]+')}$`).test(pathname),
    );
    if (known === undefined) return reply(404);
    const [allow = ''] = Object.keys(known[1] as object).map((name) => name.toUpperCase());
    if (method !== allow) return { ...reply(405), headers: { Allow: allow } };
    const [owner] = [...users].find(([, { token }]) => headers['authorization'] === `Token ${token}`) ?? [];
    if (pathname.startsWith('/notes') && owner === undefined) return reply(401);
    const id = decodeURIComponent(pathname.split('/')[2] ?? '');
    if (method === 'GET') {
      const found = notes.get(id);
      return found === undefined || (!isOpen && found.owner !== owner)
        ? reply(404)
        : reply(200, { id, text: found.text });
    }
    const sent = bodyOf(headers, body);
    if (pathname === '/notes') {
      if (typeof sent?.text !== 'string' || owner === undefined) return reply(422);
      const made = randomUUID();
      notes.set(made, { owner, text: sent.text });
      return reply(201, { id: made, text: sent.text });
    }
    const { name, password: secret } = sent?.user ?? {};
    if (typeof name !== 'string' || typeof secret !== 'string') return reply(422);
    const user = users.get(name);
    if (pathname === '/login')
      return user?.password === secret ? reply(200, { user: { token: user.token } }) : reply(401);
    if (user !== undefined) return reply(409);
    const token = randomUUID();
    users.set(name, { password: secret, token });
    return reply(201, { user: { token } });
  });
  return { url, tokens: () => [...users.values()].map(({ token }) => token) };
}

type Sent = { readonly text?: unknown; readonly user?: { readonly name?: unknown; readonly password?: unknown } };

function bodyOf(headers: ServerRequest['headers'], body: Buffer): Sent | undefined {
  try {
    if (!/^application\/json *(?:;|$)/i.test(headers['content-type'] ?? '')) return undefined;
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)) as Sent;
  } catch {
    return undefined;
  }
}

const CALLS = `
  calls:
    - { operation: register, body: { user: { name: '{user}', password: a long password } } }
    - { operation: login, body: { user: { name: '{user}', password: a long password } } }`;
const SIGN_IN = `sign-in:${CALLS}\n  token: 'Token {$response.body#/user/token}'\n`;

/** Checks the service with options in `.contract.yaml`. */
async function check(file: string, isOpen = false) {
  const { url, tokens } = await startService(isOpen);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify(DOCUMENT));
  writeFileSync(join(folder, '.contract.yaml'), file);
  const args = ['openapi.json', '--url', url, '--seed', '1', '--runs', '5', '--budget', '300'];
  const { code, stdout, stderr } = await runHere(checkCommand, args, folder);
  for (const token of tokens()) expect(stdout + stderr).not.toContain(token);
  return { code, stdout, stderr };
}

test('sign-in gets the tokens of two users from the service, and valid values for its operations', async () => {
  const { code, stdout } = await check(SIGN_IN);
  expect([code, stdout]).toEqual([0, expect.stringMatching(/^checked: 4 operations, \d+ requests, 0 failures/m)]);
  expect(stdout).not.toContain('no valid request was successful');
});

test('a resource of the first user that the second user can read is a failure', async () => {
  const { code, stdout } = await check(SIGN_IN, true);
  expect([code, stdout]).toEqual([1, expect.stringContaining('FAILED object_level_authorization  getNote')]);
  expect(stdout).toContain('-H \'Authorization: Token \'"$OTHER_TOKEN"');
});

test.each([
  ['an unknown member', 'sign-in: { call: [] }', /^\.contract\.yaml:1:1 sign-in must be such as \{ calls: /],
  ['an unknown operation', SIGN_IN.replace('login', 'other'), /^unknown operation other; the document has register/],
  [
    'a refused call',
    SIGN_IN.replace('- { operation: register', '- { operation: login'),
    /^sign-in: login got status 401/,
  ],
  ['no token', SIGN_IN.replace('/user/token', '/token'), /^sign-in: Token .* is not in the response to login/],
])('exit 2: %s', async (_name, file, message) => {
  const { code, stderr } = await check(file);
  expect([code, stderr]).toEqual([2, expect.stringMatching(message)]);
});
