import compression from 'compression';
import express, { type NextFunction, type Request, type Response } from 'express';
import request from 'supertest';
import type { Middleware } from '@contract-first/engine';
import { expectError, post } from '@contract-first/testing/answer.ts';
import { createTestApp } from '@contract-first/testing/app.ts';
import { openRawConnection } from '@contract-first/testing/connection.ts';

/** Returns an object with a property that cannot be read. */
function unreadable(name: string): object {
  const get = (): never => {
    throw new Error('unreadable');
  };
  return Object.defineProperty({}, name, { get });
}

const GUEST = '{"id":1,"name":"Basil"}';

test("the application's middleware runs before the operations, and can serve undocumented paths: 200", async () => {
  const hook = express.Router().post('/hooks/payment', express.json(), (req: Request, res: Response) => {
    res.json({ received: (req.body as { id: number }).id });
  });
  const { app } = await createTestApp({ middleware: [hook] });
  const response = await request(app).post('/hooks/payment').send({ id: 7 });
  expect([response.status, response.body]).toEqual([200, { received: 7 }]);
  expect((await post(app, GUEST)).status).toBe(200);
  expectError(await request(app).get('/hooks/payment'), 404, /^this path does not exist$/);
});

test("the application's middleware can change requests and responses of the operations: 200", async () => {
  const mark: Middleware = (req, res, next) => {
    res.setHeader('x-mark', `${String(req.method)} seen`);
    next();
  };
  const { app } = await createTestApp({ middleware: [mark] });
  const response = await post(app, GUEST);
  expect([response.status, response.headers['x-mark']]).toEqual([200, 'POST seen']);
});

test("an error of the application's middleware is logged, but not sent: 500", async () => {
  const fail = (): never => {
    throw new Error('secret');
  };
  const { app, logged } = await createTestApp({ middleware: [fail] });
  expectError(await post(app, GUEST), 500, /failed/);
  expect(JSON.stringify(logged)).toContain('secret');
});

test.each<[string, Record<string, string>, string, number, RegExp]>([
  ['a body that is too large', {}, JSON.stringify({ text: 'x'.repeat(30) }), 413, /^request entity too large$/],
  ['another charset', { 'Content-Type': 'application/json; charset=x' }, '{}', 415, /^unsupported charset "X"$/],
  ['another encoding', { 'Content-Encoding': 'x' }, '{}', 415, /^unsupported content encoding "x"$/],
  ['a body that is malformed', {}, '{"a', 400, /JSON/],
])('an error of a body parser keeps its status and message: %s', async (_name, headers, body, status, message) => {
  const hook = express.Router().post('/hooks/payment', express.json({ limit: 30 }));
  const { app, logged } = await createTestApp({ middleware: [hook] });
  const sending = request(app)
    .post('/hooks/payment')
    .set({ 'Content-Type': 'application/json', ...headers });
  expectError(await sending.serialize((text: unknown) => text as string).send(body), status, message);
  expect(logged.filter(({ level }) => Number(level) > 30)).toEqual([]);
});

test.each<[string, object, number, RegExp, Record<string, string>]>([
  ['a message for the client', { status: 403, expose: true }, 403, /^secret$/, {}],
  ['a message for the log', { status: 404, expose: false }, 404, /^Not Found$/, {}],
  [
    'a status alone',
    { status: 429, headers: { 'Retry-After': 7 } },
    429,
    /^Too Many Requests$/,
    { 'retry-after': '7' },
  ],
  ['the other name of a status', { statusCode: 409 }, 409, /^Conflict$/, {}],
  ['a failure of the service', { status: 502 }, 502, /failed/, {}],
  ['a header that cannot be sent', { status: 403, headers: { 'X-Note': 'a\nb' } }, 500, /failed/, {}],
  ['another number', { status: 200 }, 500, /failed/, {}],
  ['another type', { status: '404' }, 500, /failed/, {}],
  ['a status that cannot be read', unreadable('status'), 500, /failed/, {}],
])("an error of the application's middleware with a status: %s", async (_name, members, status, message, headers) => {
  const fail = (): never => {
    throw Object.defineProperties(new Error('secret'), Object.getOwnPropertyDescriptors(members));
  };
  const { app, logged } = await createTestApp({ middleware: [fail] });
  const response = await post(app, GUEST);
  expectError(response, status, message);
  expect(response.headers).toMatchObject(headers);
  expect(logged.filter(({ level }) => level === 50)).toHaveLength(status < 500 ? 0 : 1);
});

test.each<[string, Middleware, RegExp]>([
  [
    'begins a response and fails',
    (_req, res, next) => {
      res.write('begun');
      next(new Error('late'));
    },
    /^HTTP\/1\.1 200 [^]*\r\nbegun\r\n$/,
  ],
  [
    'begins a response and continues',
    (_req, res, next) => {
      res.write('begun');
      next();
    },
    /^HTTP\/1\.1 200 [^]*\r\nbegun\r\n$/,
  ],
  [
    'sets an invalid reason phrase',
    (_req, res, next) => {
      res.statusMessage = 'a\nb';
      next();
    },
    /^$/,
  ],
  [
    'sets fields of another body',
    (_req, res, next) => {
      res.setHeader('Content-Length', 3).setHeader('Trailer', 'x');
      next();
    },
    /^HTTP\/1\.1 404 (?![^]*trailer)[^]*content-length: \d\d\r\n[^]*}$/i,
  ],
])(
  "if the application's middleware %s, the connection is closed, and the service continues",
  async (_name, own, sent) => {
    const onlyHere: Middleware = (req, res, next) => {
      if (req.url === '/here') own(req, res, next);
      else next();
    };
    const { serve } = await createTestApp({ middleware: [onlyHere] });
    const { url } = await serve();
    const connection = await openRawConnection(url);
    connection.write('GET /here HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
    expect(await connection.closed()).toMatch(sent);
    expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
  },
);

test("if the application's middleware sets an invalid reason phrase, and the body is malformed, the service continues", async () => {
  const wait: Middleware = (_req, res) => {
    res.statusMessage = 'a\nb';
  };
  const { serve } = await createTestApp({ middleware: [express.Router().post('/here', wait)] });
  const { url } = await serve();
  const connection = await openRawConnection(url);
  connection.write('POST /here HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n');
  expect(await connection.closed()).toBe('');
  expect((await fetch(`${url}/elsewhere`)).status).toBe(404);
});

test('a second call of next() does not end the response: 404', async () => {
  const twice: Middleware = (_req, res, next) => {
    next();
    res.once('finish', next);
  };
  const { app } = await createTestApp({ middleware: [twice] });
  expectError(await request(app).get('/elsewhere'), 404, /^this path does not exist$/);
});

test.each([
  ['precedes the end of its request: 401', 'Content-Length: 9\r\n\r\n{', 401],
  ['precedes another failure of its request: 400', 'Transfer-Encoding: chunked\r\n\r\nx\r\n', 400],
])('a response that compression buffers is complete even if it %s', async (_name, end, status) => {
  const { serve } = await createTestApp({ middleware: [compression({ threshold: 0 })] });
  const connection = await openRawConnection((await serve()).url);
  connection.write(`POST /guests HTTP/1.1\r\nHost: x\r\nAccept-Encoding: gzip\r\n${end}`);
  const [head = '', body = ''] = (await connection.closed()).split('\r\n\r\n', 2);
  expect(head).toMatch(new RegExp(`^HTTP/1\\.1 ${String(status)} .*content-encoding: gzip`, 'is'));
  expect(body).toMatch(/\r\n0$/);
});

test("a body that the application's middleware has read does not count as empty: 500, and the reason is logged", async () => {
  const { app, logged } = await createTestApp({ middleware: [express.json()] });
  expectError(await post(app, GUEST), 500, /failed/);
  expect(JSON.stringify(logged)).toContain('no body parser may be used before the operations');
});

test('requests and responses are created with the members that Express adds: 200', async () => {
  const isCreated = (message: object): boolean =>
    Object.hasOwn(message.constructor.prototype as object, 'constructor') &&
    message.constructor.prototype === Object.getPrototypeOf(message);
  const created: boolean[] = [];
  const look = (req: Request, res: Response, next: NextFunction) => {
    created.push(isCreated(req), isCreated(res), req.app === res.app, res.json.length === 1);
    next();
  };
  const { serve } = await createTestApp({ middleware: [look] });
  await fetch((await serve()).url);
  expect(created).toEqual([true, true, true, true]);
});
