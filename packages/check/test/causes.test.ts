import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { cleanUp, temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { documentWith, type Fragment } from '@contract-first/testing/document.ts';
import { checkCommand } from '../src/command.ts';
import { answerJson, startReferenceServer, type ServerAnswer, type ServerRequest } from './support/reference-server.ts';

// Services that deviate from their documents for a single reason must have one failure, or none.

type Handle = (request: ServerRequest) => ServerAnswer;
const json = (schema: object) => ({ 'application/json': { schema } });
const object = (properties: object, required: readonly string[] = []) => ({ type: 'object', properties, required });
const done = { description: 'Done' };
const rejected = { description: 'Rejected' };
const named = object({ name: { type: 'string' } }, ['name']);
const taking = (schema: object) => ({ required: true, content: json(schema) });
const empty = (status: number, headers = {}): ServerAnswer => ({ status, headers, body: '' });
const notAllowed = (allow: string): ServerAnswer => empty(405, { Allow: allow });

/** Checks a service with the given paths in its document. Returns the failed checks and the output. */
async function check(paths: Fragment, service: Handle | string, args: readonly string[] = [], more: object = {}) {
  const url = typeof service === 'string' ? service : await startReferenceServer(service);
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'openapi.json'), JSON.stringify({ ...documentWith(paths), ...more }));
  const runs = args.includes('--runs') ? [] : ['--runs', '10'];
  const required = ['openapi.json', '--url', url, '--seed', '1', ...runs, '--budget', '300'];
  const { code, stdout, stderr } = await runHere(checkCommand, [...required, ...args], folder);
  const failed = [...stdout.matchAll(/^FAILED (.*)$/gm)].map(([, line]) => line);
  return { code, stdout, stderr, failed };
}

/** Starts a server. Returns its address. */
async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanUp(() => {
    server.close().closeAllConnections();
  });
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // Of a TCP server.
}

/** Parses a JSON body. Returns `undefined` if it is not JSON. */
function valueOf({ body }: ServerRequest): unknown {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    return undefined;
  }
}

test('a 500 for undocumented methods and HEAD is one failure; the missing 405 is not reported', async () => {
  const paths = { '/a': { get: { operationId: 'getA', responses: { 200: done } } } };
  const { failed } = await check(paths, ({ method, url }) => {
    if (!url.endsWith('/a')) return empty(404);
    return empty(method === 'GET' ? 200 : 500);
  });
  expect(failed).toEqual(['not_a_server_error  getA']);
});

test('a change of the resource between GET and HEAD is not a failure', async () => {
  const paths = { '/a': { get: { operationId: 'getA', responses: { 200: done, 404: done } } } };
  let isCreated = false;
  const handle: Handle = ({ method }) => {
    isCreated ||= method === 'HEAD';
    return empty(isCreated ? 200 : 404);
  };
  const { failed } = await check(paths, handle, ['--checks', 'head_conformance']);
  expect(failed).toEqual([]);
});

test('accepting wrong credentials is one failure, even with different statuses', async () => {
  const [security, post] = [[{ bearer: [] }], { operationId: 'postA', responses: { 201: done, 401: rejected } }];
  const paths = { '/a': { get: { operationId: 'getA', responses: { 200: done, 401: rejected } }, post } };
  const components = { securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } } };
  const handle: Handle = ({ method }) => empty(method === 'POST' ? 201 : 200);
  const args = ['--token', 'abc', '--checks', 'ignored_auth'];
  const { failed, stdout } = await check(paths, handle, args, { security, components });
  expect(failed).toEqual(['ignored_auth  getA']);
  expect(stdout).toContain('\n  also: postA\n');
});

test('rejecting methods without a 405 is one failure, even with different statuses', async () => {
  const paths = { '/a': { get: { operationId: 'getA', responses: { 200: done } } } };
  const statuses: Record<string, number> = { GET: 200, DELETE: 400 };
  const handle: Handle = ({ method }) => empty(statuses[method] ?? 404);
  const { failed } = await check(paths, handle, ['--checks', 'unsupported_method']);
  expect(failed).toEqual(['unsupported_method  getA']);
});

test('rejecting an unusual value is one failure, even with different statuses', async () => {
  const accepting = (operationId: string) => ({
    post: { operationId, requestBody: taking(named), responses: { 200: done, 413: rejected } },
  });
  const refusing: Handle = (request) => {
    const { name } = Object(valueOf(request)) as { readonly name?: string };
    if (name !== '') return empty(200);
    return empty(request.url.endsWith('/a') ? 413 : 400);
  };
  const paths = { '/a': accepting('postA'), '/b': accepting('postB') };
  const { failed, stdout } = await check(paths, refusing, ['--checks', 'positive_data_acceptance']);
  expect(failed).toEqual(['positive_data_acceptance  postA']);
  expect(stdout).toMatch(/^ {2}valid data \(an empty text\) got status 413$[^]*\n {2}also: postB\n/m);
});

test('failures of the category protocol do not hide others', async () => {
  const post = { operationId: 'postA', requestBody: taking(named), responses: { 200: done, 400: rejected } };
  const handle: Handle = (request) => {
    const { name = '' } = Object(valueOf(request)) as { readonly name?: string };
    if (request.url !== '/a') return empty(404);
    if (request.headers['content-type'] !== 'application/json') return empty(415);
    return empty(name === '' || /[\0\u{10000}-\u{10ffff}]/u.test(name) || name.length > 500 ? 400 : 200);
  };
  const { stdout } = await check({ '/a': { post } }, handle, ['--checks', 'positive_data_acceptance']);
  const causes = [...stdout.matchAll(/^ {2}valid data \((.*)\) got status 400$/gm)].map(([, cause]) => cause);
  expect(causes.sort()).toEqual(['U+0000', 'a character beyond U+FFFF', 'a long text', 'an empty text']);
});

test('a server may reject a PUT only if the id in the body differs from the id in the path', async () => {
  const schema = object({ id: { type: 'integer' }, name: { type: 'string' } });
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
  const put = {
    operationId: 'putA',
    parameters: [id],
    requestBody: taking(schema),
    responses: { 204: done, 400: rejected },
  };
  const refusing = (isRefused: (sent: string | undefined, path: string) => boolean) => {
    const handle: Handle = (request) => {
      const { id: sent } = Object(valueOf(request)) as { readonly id?: unknown };
      const inPath = /[^/]*$/.exec(request.url)?.[0] ?? '';
      return empty(isRefused(sent === undefined ? undefined : JSON.stringify(sent), inPath) ? 400 : 204);
    };
    return check({ '/as/{id}': { put } }, handle, ['--checks', 'positive_data_acceptance']);
  };
  expect((await refusing((sent, path) => sent !== undefined && sent !== path)).failed).toEqual([]);
  expect((await refusing((sent) => sent === undefined)).failed).toEqual(['positive_data_acceptance  putA']);
});

test('the same rejection of valid and invalid data is one failure, for valid data', async () => {
  const post = { operationId: 'postA', requestBody: taking(named), responses: { 201: done } };
  expect(
    (
      await check({ '/a': { post } }, () => empty(401), [
        '--exclude-checks',
        'unsupported_method,status_code_conformance',
      ])
    ).failed,
  ).toEqual(['positive_data_acceptance  postA']);
});

test('a documented 405 rejects invalid data', async () => {
  const post = { operationId: 'postA', requestBody: taking(named), responses: { 200: done, 405: rejected } };
  const args = ['--checks', 'negative_data_rejection'];
  const refusing: Handle = (request) =>
    empty(valueOf(request) !== undefined && request.headers['content-type'] === 'application/json' ? 200 : 405);
  const { failed } = await check({ '/a': { post } }, refusing, args);
  expect(failed).toEqual(['negative_data_rejection  postA']);
  expect((await check({ '/a': { post } }, () => empty(405), args)).failed).toEqual([]);
});

test('503 for all data and methods is one failure', async () => {
  const post = { operationId: 'postA', requestBody: taking(named), responses: { 200: done } };
  const paths = { '/a': { post, get: { operationId: 'getA', responses: { 200: done } } } };
  const overloaded: Handle = (request) => {
    const isFine = request.method === 'GET' || (request.method === 'POST' && valueOf(request) !== undefined);
    return empty(isFine ? 200 : 503);
  };
  const { failed, stdout } = await check(paths, overloaded, ['--checks', 'not_a_server_error']);
  expect(failed).toEqual(['not_a_server_error  postA']);
  expect(stdout).toContain('\n  also: getA\n');
});

test('accepting malformed uploads is one failure', async () => {
  const schema = object({ file: { type: 'string', format: 'binary' } });
  const requestBody = { required: true, content: { 'multipart/form-data': { schema } } };
  const post = { operationId: 'upload', requestBody, responses: { 200: done } };
  const handle: Handle = ({ headers }) =>
    empty(headers['content-type']?.startsWith('multipart/form-data') === true ? 200 : 415);
  const { failed, stdout } = await check({ '/a': { post } }, handle, ['--checks', 'negative_data_rejection']);
  expect(failed).toEqual(['negative_data_rejection  upload']);
  expect(stdout).toContain('invalid data (an upload without a boundary) got status 200');
});

test('a 500 for malformed uploads is one failure', async () => {
  const schema = object({ file: { type: 'string', format: 'binary' } });
  const requestBody = { required: true, content: { 'multipart/form-data': { schema } } };
  const post = { operationId: 'upload', requestBody, responses: { 200: done } };
  const handle: Handle = ({ headers, body }) => {
    const [, boundary] = /^multipart\/form-data; boundary=(.+)$/.exec(headers['content-type'] ?? '') ?? [];
    if (boundary === undefined) return empty(415);
    return empty(body.length === 0 || body.includes(`--${boundary}--`) ? 200 : 500);
  };
  const { failed, stdout } = await check({ '/a': { post } }, handle, ['--checks', 'not_a_server_error']);
  expect(failed).toEqual(['not_a_server_error  upload']);
  expect(stdout).toContain('the status is 500 for invalid data (an upload with an unterminated part)');
});

test('a 500 for malformed UTF-8 is one failure, also if the text is UTF-16', async () => {
  const post = { operationId: 'postA', requestBody: taking(named), responses: { 200: done, 400: rejected } };
  const handle: Handle = ({ body }) => {
    const isText = body.equals(Buffer.from(body.toString()));
    return empty(!isText ? 500 : valueOf({ body } as ServerRequest) === undefined ? 400 : 200);
  };
  const { failed } = await check({ '/a': { post } }, handle, ['--checks', 'not_a_server_error']);
  expect(failed).toEqual(['not_a_server_error  postA']);
});

test.each<[string, (isTyped: boolean) => number, string]>([
  ['a 500', (isTyped) => (isTyped ? 400 : 500), 'not_a_server_error  postA'],
  ['an acceptance', (isTyped) => (isTyped ? 400 : 200), 'negative_data_rejection  postA'],
])(
  '%s because of a wrong type is one failure, also without a required parameter',
  async (_name, statusOf, expected) => {
    const parameters = [{ name: 'size', in: 'query', required: true, schema: { type: 'integer' } }];
    const post = {
      operationId: 'postA',
      parameters,
      requestBody: taking({ type: 'object', additionalProperties: { type: 'string' } }),
      responses: { 200: done, 400: rejected },
    };
    // Reads the query after the body.
    const handle: Handle = (request) => {
      const value = valueOf(request);
      if (value === undefined || request.headers['content-type'] !== 'application/json') return empty(400);
      const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
      const isTyped = isObject && Object.values(value).every((member) => typeof member === 'string');
      return empty(isTyped && /\?size=-?\d+$/.test(request.url) ? 200 : statusOf(isTyped));
    };
    const args = ['--checks', 'not_a_server_error,negative_data_rejection'];
    expect((await check({ '/a': { post } }, handle, args)).failed).toEqual([expected]);
  },
);

test('rounding the largest int64 out of range is one failure with rounding others', async () => {
  const schema = object({ size: { type: 'integer', format: 'int64' } });
  const post = {
    operationId: 'postA',
    requestBody: taking(schema),
    responses: { 200: { description: 'The same', content: json(schema) } },
  };
  const handle: Handle = (request) => {
    const value = valueOf(request);
    const { size } = Object(value) as { readonly size?: unknown };
    return Number.isInteger(size) ? answerJson(200, value) : empty(400);
  };
  const { failed, stdout } = await check({ '/a': { post } }, handle, [
    '--checks',
    'negative_data_rejection,response_schema_conformance',
  ]);
  expect(failed.filter((line) => line?.startsWith('response'))).toEqual(['response_schema_conformance  postA']);
  expect(stdout).toContain('size was sent as 9007199254740993 and returned as 9007199254740992');
});

test('accepting invalid data is a failure, but returning it in the response is not', async () => {
  const post = {
    operationId: 'postA',
    requestBody: taking(named),
    responses: { 200: { description: 'The same', content: json(named) } },
  };
  const handle: Handle = (request) => {
    if (request.method !== 'POST') return notAllowed('POST');
    const value = valueOf(request);
    return value === undefined ? empty(400) : answerJson(200, value);
  };
  const { failed } = await check({ '/a': { post } }, handle);
  expect(new Set(failed)).toEqual(new Set(['negative_data_rejection  postA']));
});

test('reading stored invalid data is not a failure if accepting it was reported', async () => {
  const stored: unknown[] = [];
  const list = { description: 'All', content: json({ type: 'array', items: named }) };
  const paths = {
    '/a': {
      get: { operationId: 'listA', responses: { 200: list } },
      post: {
        operationId: 'postA',
        requestBody: taking(named),
        responses: { 200: { description: 'The same', content: json(named) } },
      },
    },
  };
  const storing: Handle = (request) => {
    if (request.method === 'GET') return answerJson(200, stored);
    const value = valueOf(request);
    if (value === undefined || request.headers['content-type'] !== 'application/json') return empty(400);
    stored.push(value);
    return answerJson(200, value);
  };
  const args = ['--checks', 'negative_data_rejection,response_schema_conformance', '--operation', 'postA'];
  const { failed } = await check(paths, storing, [...args, '--operation', 'listA']);
  expect(failed).toEqual(['negative_data_rejection  postA']);
});

test('a PATCH that returns stored invalid data is not a failure if accepting it was reported', async () => {
  const some = object({ name: { type: 'string' }, note: { type: 'string' } }, ['name']);
  const patch = {
    operationId: 'patchA',
    requestBody: taking(some),
    responses: { 200: { description: 'The whole', content: json(some) } },
  };
  const stored: { note?: unknown } = {};
  const storing: Handle = (request) => {
    const value = valueOf(request);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    if (!isObject || request.headers['content-type'] !== 'application/json') return empty(400);
    const kept = ['undefined', 'string'].includes(typeof stored.note) ? {} : { note: stored.note };
    return answerJson(200, Object.assign(stored, value, kept));
  };
  const args = ['--checks', 'negative_data_rejection,response_schema_conformance'];
  expect((await check({ '/a': { patch } }, storing, args)).failed).toEqual(['negative_data_rejection  patchA']);
});

test('responses that are invalid for all data are a failure in addition to accepted invalid data', async () => {
  const some = object({ name: { type: 'string' }, size: { type: 'integer' } });
  const responses = { 200: { description: 'Some', content: json(some) } };
  const patch = { operationId: 'patchA', requestBody: taking(named), responses };
  const handle: Handle = (request) => {
    const isValid = valueOf(request) !== undefined && request.headers['content-type'] === 'application/json';
    return isValid ? answerJson(200, { size: 'large' }) : empty(400);
  };
  const args = ['--checks', 'negative_data_rejection,response_schema_conformance'];
  const { failed, stdout } = await check({ '/a': { patch } }, handle, args);
  expect(failed).toEqual(['negative_data_rejection  patchA', 'response_schema_conformance  patchA']);
  expect(stdout).toContain('the body/size must be integer');
});

test('an invalid response to valid requests is a failure in addition to accepted invalid data', async () => {
  const get = {
    operationId: 'getA',
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
    responses: { 200: { description: 'A', content: json(named) } },
  };
  const args = ['--checks', 'negative_data_rejection,response_schema_conformance'];
  const { failed } = await check({ '/a': { get } }, () => answerJson(200, {}), args);
  expect(failed).toEqual(['negative_data_rejection  getA', 'response_schema_conformance  getA']);
});

test('accepting bodies without any validation is one failure', async () => {
  const schema = object({ name: { type: 'string' }, size: { enum: ['s', 'm'] } }, ['name']);
  const post = { operationId: 'postA', requestBody: taking(schema), responses: { 200: done } };
  const handle: Handle = (request) => {
    const isJson = request.headers['content-type'] === 'application/json' && request.body.length > 0;
    return empty(isJson && valueOf(request) === undefined ? 400 : 200);
  };
  const { failed, stdout } = await check({ '/a': { post } }, handle, ['--checks', 'negative_data_rejection']);
  expect(failed).toEqual(['negative_data_rejection  postA']);
  expect(stdout).toContain("invalid data (body must have required property 'name') got status 200");
});

test('ignoring a required parameter is one failure', async () => {
  const parameters = [{ name: 'size', in: 'query', required: true, schema: { type: 'integer', maximum: 9 } }];
  const paths = { '/a': { get: { operationId: 'getA', parameters, responses: { 200: done } } } };
  const { failed, stdout } = await check(paths, () => empty(200), ['--checks', 'negative_data_rejection']);
  expect(failed).toEqual(['negative_data_rejection  getA']);
  expect(stdout).toContain('invalid data (without the query parameter size) got status 200');
});

test.each([
  [500, 'not_a_server_error', 'the status is 500 for invalid data (without the query parameter size)\n'],
  [200, 'negative_data_rejection', 'invalid data (without the query parameter size) got status 200\n'],
])('a %d without one of two required parameters does not name the other', async (status, name, message) => {
  const parameters = ['size', 'page'].map((one) => {
    return { name: one, in: 'query', required: true, schema: { type: 'integer' } };
  });
  const paths = { '/a': { get: { operationId: 'getA', parameters, responses: { 200: done, 400: rejected } } } };
  const handle: Handle = ({ url }) => {
    const { pathname, searchParams } = new URL(url, 'http://server');
    if (pathname !== '/a') return empty(404);
    if (!searchParams.has('size')) return empty(status);
    return empty(['size', 'page'].every((one) => /^-?\d+$/.test(searchParams.getAll(one).join())) ? 200 : 400);
  };
  const { failed, stdout } = await check(paths, handle, ['--checks', name]);
  expect(failed).toEqual([`${name}  getA`]);
  expect(stdout).toContain(message);
});

test('a number or a boolean in a query is valid as a text if the schema allows only texts', async () => {
  const parameters = [{ name: 'code', in: 'query', schema: { type: 'string', pattern: '^[A-Z]{2}$' } }];
  const paths = { '/a': { get: { operationId: 'getA', parameters, responses: { 200: done } } } };
  const handle: Handle = ({ url }) => empty(url.split('code').length > 2 ? 400 : 200);
  const { failed, stdout } = await check(paths, handle, ['--checks', 'negative_data_rejection']);
  expect(failed).toEqual(['negative_data_rejection  getA']);
  expect(stdout).toMatch(/^ {2}invalid data \(query parameter code must match pattern .*\) got status 200$/m);
});

test('null for absent members is one failure, with any member names', async () => {
  const reading = (operationId: string, name: string) => ({
    get: {
      operationId,
      responses: { 200: { description: 'A', content: json(object({ [name]: { type: 'string' } })) } },
    },
  });
  const paths = { '/a': reading('getA', 'title'), '/b': reading('getB', 'note') };
  const { failed, stdout } = await check(paths, () => answerJson(200, { title: null, note: null }), [
    '--checks',
    'response_schema_conformance',
  ]);
  expect(failed).toEqual(['response_schema_conformance  getA']);
  expect(stdout).toMatch(/^ {2}the body\/title must be string$[^]*\n {2}also: getB\n/m);
});

test('a failure of usual requests does not count as protocol, even if an unusual request showed it first', async () => {
  const get = {
    operationId: 'getA',
    parameters: [{ name: 'limit', in: 'query', schema: { type: 'integer' } }],
    responses: { 200: done, default: { description: 'A failure', content: json({}) } },
  };
  const failure = (status: number): ServerAnswer => ({ status, headers: { 'Content-Type': 'text/html' }, body: 'No' });
  const handle: Handle = ({ url }) => {
    if (url.startsWith('http')) return failure(404);
    return /\?limit=(?!-?\d+$)/.test(url) ? failure(400) : empty(200);
  };
  const paths = { '/a': { get }, '/b': { get: { ...get, operationId: 'getB', parameters: [] } } };
  const { failed, stdout } = await check(paths, handle, ['--exclude-checks', 'unsupported_method,head_conformance']);
  expect(failed).toEqual(['content_type_conformance  getA']);
  expect(stdout).toMatch(/< HTTP 400\n[^]*\n {2}also: getB\n/);
});

test('a value that causes a 5xx in valid and invalid requests is one failure', async () => {
  const size = { enum: ['small', 'large'] };
  const schema = object({ name: { type: 'string' }, size }, ['name']);
  const post = { operationId: 'postA', requestBody: taking(schema), responses: { 200: done, 400: rejected } };
  // Only the error response fails, which repeats the text.
  const handle: Handle = (request) => {
    const value = Object(valueOf(request)) as { readonly name?: unknown; readonly size?: unknown };
    const isValid = typeof value.name === 'string' && [undefined, 'small', 'large'].includes(value.size as string);
    if (isValid) return empty(200);
    return empty(/\\u[dD][89a-fA-F]/.test(request.body.toString()) ? 500 : 400);
  };
  const { failed, stdout } = await check({ '/a': { post } }, handle, [
    '--checks',
    'not_a_server_error',
    '--runs',
    '200',
  ]);
  expect(failed).toEqual(['not_a_server_error  postA']);
  expect(stdout).toContain('a lone surrogate');
});

/** Returns the paths of a resource that can be created, read and replaced. @param type the type of its ids */
function pathsOf(type: 'integer' | 'string', others: object = {}): Readonly<Record<string, unknown>> {
  const schema = object({ id: { type, readOnly: true }, name: { type: 'string' } }, ['name']);
  const some = { description: 'Some', content: json(schema) };
  const responses = { 200: some, 404: rejected };
  return {
    '/a': { post: { operationId: 'postA', requestBody: taking(schema), responses: { 201: some, 400: rejected } } },
    '/a/{id}': {
      parameters: [{ name: 'id', in: 'path', required: true, schema: { type } }],
      get: { operationId: 'getA', responses },
      put: { operationId: 'putA', requestBody: taking(schema), responses },
      ...others,
    },
  };
}

test('a 5xx in a sequence explains a 5xx to unusual data', async () => {
  let puts = 0;
  const handle: Handle = (request) => {
    const value = Object(valueOf(request)) as { readonly name?: unknown };
    if (request.method === 'POST') return answerJson(201, { ...value, id: 7 });
    if (!request.url.endsWith('/7')) return empty(404);
    if (request.method === 'PUT') puts += 1;
    return request.method === 'PUT' && (puts === 1 || value.name === '')
      ? empty(500)
      : answerJson(200, { name: 'a', id: 7 });
  };
  const { failed, stdout } = await check(pathsOf('integer'), handle, ['--checks', 'not_a_server_error,use_after_free']);
  expect(failed).toEqual(['not_a_server_error  putA']);
  expect(stdout).toContain('the status is 500 for valid data\n');
});

test('a 5xx after a deletion does not explain a 5xx to unusual data', async () => {
  const paths = pathsOf('string', { delete: { operationId: 'deleteA', responses: { 204: done, 404: rejected } } });
  const known = new Map<string, string>();
  const deleted = new Set<string>();
  const handle: Handle = (request) => {
    const { name } = Object(valueOf(request)) as { readonly name?: string };
    const [, key] = /^\/a\/([^/]+)$/.exec(request.url) ?? [];
    if (request.method === 'POST') {
      const created = `thing-${String(known.size + deleted.size)}`;
      known.set(created, name ?? '');
      return answerJson(201, { name, id: created });
    }
    if (request.method === 'PUT' && (deleted.has(key ?? '') || name === '')) return empty(500);
    if (key === undefined || !known.has(key)) return empty(404);
    if (request.method === 'DELETE') {
      known.delete(key);
      deleted.add(key);
      return empty(204);
    }
    if (request.method === 'PUT') known.set(key, name ?? '');
    return answerJson(200, { name: known.get(key), id: key });
  };
  const { failed, stdout } = await check(paths, handle, ['--checks', 'not_a_server_error,use_after_free']);
  expect(failed).toEqual(['not_a_server_error  putA', 'not_a_server_error  putA']);
  expect(stdout).toContain('the status is 500 for valid data (an empty text)\n');
});

test.each([
  [500, 'is one failure', ['the status is 500 for valid data (an empty text)']],
  [503, 'is one failure', ['no valid response: the connection was closed']],
])('a request that gets no response and then a %d %s', async (status, _name, expected) => {
  let unanswered = 2; // The check sends a request again if a reused connection is closed.
  const server = createServer((req, res) => {
    let text = '';
    req.on('data', (chunk: Buffer) => (text += chunk.toString()));
    req.on('end', () => {
      const isBroken = text === '{"name":""}';
      if (isBroken && (unanswered -= 1) >= 0) req.socket.destroy();
      else res.writeHead(isBroken ? status : 200).end();
    });
  });
  const post = { operationId: 'postA', requestBody: taking(named), responses: { 200: done } };
  const { stdout } = await check({ '/a': { post } }, await listen(server), ['--checks', 'not_a_server_error']);
  expect(unanswered).toBeLessThan(0);
  const messages = [...stdout.matchAll(/^FAILED .*\n {2}(.*)$/gm)].map(([, message]) => message);
  expect(messages.sort()).toEqual(expected);
});

test('a crash and the 503s until the server has restarted are one failure', async () => {
  let unavailable = 0;
  const server = createServer((req, res) => {
    let text = '';
    req.on('data', (chunk: Buffer) => (text += chunk.toString()));
    req.on('end', () => {
      const isDown = (unavailable -= 1) >= 0;
      if (isDown || text !== '{"name":""}') res.writeHead(isDown ? 503 : 200).end();
      else {
        unavailable = 20;
        req.socket.destroy();
      }
    });
  });
  const operation = (operationId: string) => ({
    post: { operationId, requestBody: taking(named), responses: { 200: done } },
  });
  const paths = { '/a': operation('postA'), '/b': operation('postB') };
  const { failed, stdout } = await check(paths, await listen(server), ['--checks', 'not_a_server_error']);
  expect(failed).toEqual(['not_a_server_error  postA']);
  expect(stdout).toContain('no valid response: the connection was closed\n');
});

test.each([
  ['explains a time-out', false, ['the status is 500 for valid data']],
  [
    'does not explain a closed connection',
    true,
    ['no valid response: the connection was closed', 'the status is 500 for valid data'],
  ],
])('a 500 for plain valid data %s of the same operation', async (_name, isClosed, expected) => {
  const schema = object({ id: { type: 'integer', readOnly: true }, name: { type: 'string' } }, ['name']);
  const some = { description: 'Some', content: json(schema) };
  const id = { name: 'id', in: 'path', required: true, schema: { type: 'integer' } };
  const post = { operationId: 'postA', requestBody: taking(schema), responses: { 201: some, 400: rejected } };
  const get = { operationId: 'getA', parameters: [id], responses: { 200: some, 404: rejected } };
  let unanswered = isClosed ? 2 : 1; // The check sends a request again if a reused connection is closed.
  const server = createServer((req, res) => {
    const isPost = req.method === 'POST' && req.url === '/a';
    if (!isPost || (unanswered -= 1) < 0) res.writeHead(isPost ? 500 : 404).end();
    else if (isClosed) req.socket.destroy();
  });
  const { stdout } = await check({ '/a': { post }, '/a/{id}': { get } }, await listen(server), [
    '--checks',
    'not_a_server_error,read_your_writes',
  ]);
  const messages = [...stdout.matchAll(/^FAILED .*\n {2}(.*)$/gm)].map(([, message]) => message);
  expect(messages.sort()).toEqual(expected);
});

test('a request that stops the server is one failure', async () => {
  const server = createServer((req, res) => {
    req.on('data', (chunk: Buffer) => {
      if (chunk.toString() !== '[') return;
      server.close();
      server.closeAllConnections();
    });
    req.on('end', () => {
      res.writeHead(200).end();
    });
  });
  const operation = (operationId: string) => ({
    post: { operationId, requestBody: taking({}), responses: { 200: done } },
  });
  const { failed, stdout, code } = await check(
    { '/a': operation('postA'), '/b': operation('postB'), '/c': operation('postC') },
    await listen(server),
    ['--checks', 'not_a_server_error'],
  );
  expect([code, failed]).toEqual([1, ['not_a_server_error  postA']]);
  expect(stdout).not.toContain('also:');
  expect(stdout).toMatch(/^postA and 2 other operations: stopped early: the server became unreachable$/m);
});

test.each([
  ['403', { 403: rejected }, []],
  ['400', { 400: rejected }, ['positive_data_acceptance  postA']],
])('valid data of a user who may lack a permission gets a documented %s: %j', async (status, failures, expected) => {
  const post = { operationId: 'postA', requestBody: taking(named), responses: { 201: done, ...failures } };
  const rest = {
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  };
  const args = ['--token', 'abc', '--checks', 'positive_data_acceptance'];
  const { failed, stdout } = await check({ '/a': { post } }, () => empty(Number(status)), args, rest);
  expect(failed).toEqual(expected);
  expect(stdout).toContain(`postA: no valid request was successful: they got ${status}`);
});

test.each<[string, (url: string, sent?: string) => number, readonly string[]]>([
  ['accepts all, or rejects the data', (url) => (url.includes('/b') ? 400 : 200), ['ignored_auth  getA']],
  ['protects another operation', (url) => (url.includes('/b') ? 401 : 200), ['ignored_auth  getA']],
  [
    'accepts none, and rejects the data of another operation first',
    (url) => (url.includes('/b') ? 400 : 401),
    ['ignored_auth  getB'],
  ],
  [
    'accepts all, or rejects credentials with 403',
    (url) => (url.includes('/b') ? 403 : 200),
    ['ignored_auth  getA', 'ignored_auth  getB'],
  ],
  [
    'accepts wrong credentials, and rejects missing credentials with 403',
    (url, sent) => (url.includes('/b') ? 401 : sent === undefined ? 403 : 200),
    ['ignored_auth  getA', 'ignored_auth  getA'],
  ],
])('credentials at a service that %s: a failure for each cause', async (_name, statusFor, expected) => {
  const get = { responses: { 200: done, 401: rejected } };
  const paths = { '/a': { get: { ...get, operationId: 'getA' } }, '/b': { get: { ...get, operationId: 'getB' } } };
  const rest = {
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'key' } } },
  };
  const challenge = { 'WWW-Authenticate': 'Key' };
  const handle: Handle = ({ url, headers: { key } }) => empty(key === 'abc' ? 200 : statusFor(url, key), challenge);
  const { failed } = await check(paths, handle, ['--token', 'abc', '--checks', 'ignored_auth'], rest);
  expect(failed).toEqual(expected);
});

test.each([
  ['429', { 429: rejected }, []],
  ['400', { 400: rejected }, ['positive_data_acceptance  postA']],
  ['507', { 507: rejected }, []],
  ['507', { default: rejected }, ['not_a_server_error  postA']],
])(
  'valid data may be refused by a limit of the rate or the storage: %s, with %j documented',
  async (status, failures, expected) => {
    const post = { operationId: 'postA', requestBody: taking(named), responses: { 200: done, ...failures } };
    let count = 0;
    const handle: Handle = () => empty((count += 1) % 3 === 0 ? 200 : Number(status));
    const args = ['--checks', 'positive_data_acceptance,not_a_server_error'];
    const { failed } = await check({ '/a': { post } }, handle, args);
    expect(failed).toEqual(expected);
  },
);

test('an operation that answers 404 to every request does not ignore credentials', async () => {
  const paths = { '/a': { get: { operationId: 'getA', responses: { 200: done, 401: rejected, 404: rejected } } } };
  const rest = {
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'key' } } },
  };
  const args = ['--token', 'abc', '--checks', 'ignored_auth,positive_data_acceptance'];
  const { failed, stdout } = await check(paths, () => empty(404), args, rest);
  expect(failed).toEqual([]);
  expect(stdout).toContain('getA: no valid request was successful: they got 404');
});

test.each([
  ['valid data is no failure', () => true, []],
  ['UTF-16 is a failure', (isText: boolean) => !isText, ['not_a_server_error  postA']],
])('a 501 for malformed UTF-8 and %s', async (_name, isRefused, expected) => {
  const post = { operationId: 'postA', requestBody: taking(named), responses: { 200: done } };
  const handle: Handle = ({ body }) => empty(isRefused(body.equals(Buffer.from(body.toString()))) ? 501 : 200);
  const { failed, stdout } = await check({ '/a': { post } }, handle, ['--checks', 'not_a_server_error']);
  expect(failed).toEqual(expected);
  expect(stdout.includes('postA: not implemented (501)')).toBe(expected.length === 0);
});

test('a 5xx for missing credentials is one failure', async () => {
  const paths = { '/a': { get: { operationId: 'getA', responses: { 200: done, 401: rejected } } } };
  const rest = {
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'apiKey', in: 'header', name: 'key' } } },
  };
  const handle: Handle = ({ headers: { key } }) => empty(key === 'abc' ? 200 : key === undefined ? 500 : 401);
  const args = ['--token', 'abc', '--checks', 'ignored_auth,not_a_server_error'];
  expect((await check(paths, handle, args, rest)).failed).toEqual(['not_a_server_error  getA']);
});

test.each<[string, readonly object[], readonly string[]]>([
  ['the document allows', [{ key: [] }, { bearer: [] }], []],
  ['the document does not allow', [{ key: [] }], ['ignored_auth  getA']],
])('a key as a bearer token, which %s', async (_name, security, expected) => {
  const paths = { '/a': { get: { operationId: 'getA', responses: { 200: done, 401: rejected } } } };
  const securitySchemes = {
    key: { type: 'apiKey', in: 'header', name: 'key' },
    bearer: { type: 'http', scheme: 'bearer' },
  };
  const handle: Handle = ({ headers }) => {
    const isKnown = headers['key'] === 'abc' || headers['authorization'] === 'Bearer abc';
    return empty(isKnown ? 200 : 401, { 'WWW-Authenticate': 'Bearer' });
  };
  const args = ['--credential', 'key=abc', '--checks', 'ignored_auth'];
  expect((await check(paths, handle, args, { security, components: { securitySchemes } })).failed).toEqual(expected);
});

test.each([
  ['only 403 is documented', { 403: rejected }, []],
  ['401 is documented', { 401: rejected, 403: rejected }, ['ignored_auth  getA']],
  ['`default` is documented', { 403: rejected, default: rejected }, ['ignored_auth  getA']],
])('wrong credentials may get 403 where %s: %j', async (_name, failures, expected) => {
  const paths = { '/a': { get: { operationId: 'getA', responses: { 200: done, ...failures } } } };
  const handle: Handle = ({ headers }) => empty(headers['authorization'] === 'Bearer abc' ? 200 : 403);
  const rest = {
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  };
  const { failed } = await check(paths, handle, ['--token', 'abc', '--checks', 'ignored_auth'], rest);
  expect(failed).toEqual(expected);
});

test('a note explains how to send a token to an operation without `security`', async () => {
  const handle: Handle = ({ headers }) => empty(headers['authorization'] === 'Bearer abc' ? 200 : 403);
  const paths = { '/a': { get: { operationId: 'getA', responses: { 200: done, 403: rejected } } } };
  const { stdout } = await check(paths, handle, ['--token', 'abc']);
  expect(stdout).toContain(
    "getA: no valid request was successful: they got 403; the document has no security here, so no token was sent: --header 'Authorization: Bearer ${CONTRACT_TOKEN}' sends one\n",
  );
  const { stdout: silent } = await check(paths, handle, ['--header', 'Authorization: Bearer abc']);
  expect(silent).not.toContain('no token was sent');
});

test('the note about a login that always gets 401 asks about credentials', async () => {
  const requestBody = taking(object({ name: { type: 'string' } }, ['name']));
  const paths = { '/login': { post: { operationId: 'login', requestBody, responses: { 200: done, 401: rejected } } } };
  const { stdout, failed } = await check(paths, () => empty(401), ['--checks', 'positive_data_acceptance']);
  expect(failed).toEqual([]);
  expect(stdout).toContain('login: no valid request was successful: they got 401; does the request have credentials?');
});

test.each([
  ['a password', 'password', []],
  ['no secret', 'title', ['positive_data_acceptance  login']],
])('an operation with `security` may refuse %s in the body with 401: %s', async (_name, member, expected) => {
  const requestBody = taking(object({ [member]: { type: 'string' } }, [member]));
  const paths = { '/login': { post: { operationId: 'login', requestBody, responses: { 200: done, 401: rejected } } } };
  const rest = {
    security: [{ key: [] }],
    components: { securitySchemes: { key: { type: 'http', scheme: 'bearer' } } },
  };
  const args = ['--token', 'abc', '--checks', 'positive_data_acceptance,negative_data_rejection'];
  expect((await check(paths, () => empty(401), args, rest)).failed).toEqual(expected);
});

test('after a successful DELETE, further requests use a new resource', async () => {
  const things = new Map<string, object>();
  let deleted = 0;
  const handle: Handle = ({ method, url, body }) => {
    const [, collection, id] = /^\/(things)(?:\/(.*))?$/.exec(url) ?? [];
    if (collection === undefined) return empty(404);
    if (id === undefined) {
      if (method !== 'POST') return notAllowed('POST');
      const thing = { id: String(1_000 + things.size + deleted), ...(JSON.parse(body.toString()) as object) };
      things.set(thing.id, thing);
      return answerJson(201, thing);
    }
    if (!['GET', 'DELETE'].includes(method)) return notAllowed('GET, DELETE');
    const thing = things.get(id);
    if (thing === undefined) return empty(404);
    if (method === 'GET') return answerJson(200, thing);
    things.delete(id);
    deleted += 1;
    return empty(204);
  };
  const parameters = [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }];
  const thing = { description: 'A thing', content: json(object({ id: { type: 'string' }, ...named.properties })) };
  const paths = {
    '/things': { post: { operationId: 'create', requestBody: taking(named), responses: { 201: thing } } },
    '/things/{id}': {
      parameters,
      get: { operationId: 'read', responses: { 200: thing, 404: rejected } },
      delete: { operationId: 'remove', responses: { 204: done, 404: rejected } },
    },
  };
  await check(paths, handle, ['--operation', 'remove', '--operation', 'create', '--runs', '40']);
  expect(deleted).toBeGreaterThan(10);
});

test.each([
  [
    { additionalProperties: { type: 'integer' } },
    (name: string, value: string) => name !== '' && /^-?\d+$/.test(value),
  ],
  [
    { patternProperties: { '^utm_': { type: 'string' } }, additionalProperties: false },
    (name: string) => name.startsWith('utm_'),
  ],
])('members of free-form query parameters are sent: %j', async (members, isValid) => {
  const free = { name: 'free', in: 'query', schema: { type: 'object', ...members } };
  const limit = { name: 'limit', in: 'query', schema: { type: 'boolean' } };
  const responses = { 200: done, 400: rejected };
  const paths = { '/a': { get: { operationId: 'getA', parameters: [limit, free], responses } } };
  const serve = (accepts: typeof isValid): Handle => {
    return ({ method, url }) => {
      const { pathname, searchParams } = new URL(url, 'http://localhost');
      if (pathname !== '/a') return empty(404);
      if (method !== 'GET' && method !== 'HEAD') return notAllowed('GET, HEAD');
      const pairs = [...searchParams].filter(([name]) => name !== 'limit');
      const isRepeated = new Set(searchParams.keys()).size < [...searchParams].length;
      const isLimit = ['true', 'false', null].includes(searchParams.get('limit'));
      return empty(isLimit && !isRepeated && pairs.every(([name, value]) => accepts(name, value)) ? 200 : 400);
    };
  };
  expect((await check(paths, serve(isValid))).failed).toEqual([]);
  expect(
    (
      await check(
        paths,
        serve(() => false),
      )
    ).failed,
  ).toEqual(['positive_data_acceptance  getA']);
});
