import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { checkContract } from '../src/contract-run.ts';
import type { OpenApiDocument } from '@contract-first/documents';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { runProcess, startServiceProcess } from '@contract-first/testing/service.ts';

const document: OpenApiDocument = {
  openapi: '3.1.0',
  info: { title: 'Answers', version: '1.0.0' },
  security: [],
  paths: {
    '/plain': {
      get: {
        operationId: 'readPlain',
        responses: {
          '200': {
            description: 'A text',
            content: { 'text/plain': { schema: { type: 'string' } }, 'text/event-stream': {} },
          },
          '204': { description: 'Nothing' },
        },
      },
    },
  },
};

/**
 * Starts a server that responds to GET and HEAD with the given bytes, and to other methods with 405.
 *
 * @param late bytes that follow the response to HEAD
 */
async function startServer(answerTo: (method: string) => string, late = ''): Promise<string> {
  const server = createServer((socket) => {
    socket.setEncoding('latin1').on('error', () => undefined);
    socket.on('data', (text: string) => {
      const [method = ''] = text.split(' ', 1);
      const isKnown = /^(?:GET|HEAD) \/plain /.test(text) || text.includes('/plain HTTP');
      const refusal = 'HTTP/1.1 405 Method Not Allowed\r\nAllow: GET, HEAD\r\nContent-Length: 0\r\n\r\n';
      socket.write(isKnown && /^(?:GET|HEAD)$/.test(method) ? answerTo(method) : refusal);
      if (method === 'HEAD') setTimeout(() => socket.write(late), 5);
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(() => void server.close());
  return `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`; // A TCP address, not a pipe.
}

const plain = (length: number, body: string): string =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: ${String(length)}\r\n\r\n${body}`;

test.each<[string, (method: string) => string, string[]]>([
  ['as its header fields say: pass', (method) => plain(2, method === 'HEAD' ? '' : 'ok'), []],
  [
    'an event stream that does not end: pass',
    (method) =>
      `HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n${method === 'HEAD' ? '' : 'data: first\n\n'}`,
    [],
  ],
  ['a body after HEAD: fail', () => plain(2, 'ok'), ['not_a_server_error']],
  ['a body after 204: fail', () => 'HTTP/1.1 204 No Content\r\n\r\nok', ['not_a_server_error']],
  [
    'more than Content-Length: fail',
    (method) => plain(2, method === 'HEAD' ? '' : 'ok, really'),
    ['not_a_server_error'],
  ],
])('the bytes of a response: %s', async (_name, answerTo, checks) => {
  const baseUrl = await startServer(answerTo);
  const { failures } = await checkContract({ document, baseUrl, seed: 1, runs: 5, budgetMs: 120_000 });
  expect(failures.map(({ check, message }) => [check, message])).toEqual(
    checks.map((check) => [check, expect.stringMatching(/^no valid response: bytes after the end of the response/)]),
  );
});

test('a body after HEAD does not break the next request', async () => {
  const baseUrl = await startServer((method) => plain(2, method === 'HEAD' ? '' : 'ok'), 'ok');
  const { failures } = await checkContract({ document, baseUrl, seed: 1, runs: 5, budgetMs: 120_000 });
  expect(failures.filter(({ request }) => request.method !== 'HEAD')).toEqual([]);
});

test('a server that parses chunks as the next request has one failure: it rejects a chunked body', async () => {
  const server = createServer((socket) => {
    let text = '';
    socket.setEncoding('latin1').on('error', () => undefined);
    socket.on('data', (part: string) => {
      text += part;
      for (let end = text.indexOf('\r\n\r\n'); end >= 0; end = text.indexOf('\r\n\r\n')) {
        const head = text.slice(0, end);
        const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0);
        if (text.length < end + 4 + length) return;
        text = text.slice(end + 4 + length);
        const isPost = /^POST \S*\/texts /.test(head) && length > 0;
        socket.write(`HTTP/1.1 ${isPost ? '204 No Content' : '400 Bad Request\r\nContent-Length: 0'}\r\n\r\n`);
        if (/^connection: close$/im.test(head)) socket.end();
      }
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  cleanUp(() => void server.close());
  const text = { required: true, content: { 'text/plain': { schema: { type: 'string', minLength: 1 } } } };
  const responses = { '204': { description: 'Done' }, '400': { description: 'Refused' } };
  const { failures } = await checkContract({
    document: { ...document, paths: { '/texts': { post: { operationId: 'send', requestBody: text, responses } } } },
    baseUrl: `http://127.0.0.1:${String((server.address() as AddressInfo).port)}`, // A TCP address, not a pipe.
    checks: new Set(['positive_data_acceptance', 'not_a_server_error']),
    seed: 1,
    runs: 5,
  });
  expect(failures.map(({ message }) => message)).toEqual(['valid data (a chunked body) got status 400']);
});

test.each([
  ['exit 1: a response that takes longer', '1', 1, /^FAILED max_response_time {2}createGuest\n.* more than 1 ms\n/],
  ['exit 0: responses within the limit', '600000', 0, /, 0 failures/],
])('contract-first check --max-response-time %s', async (_name, limit, code, output) => {
  const { url, token } = await startServiceProcess();
  const args = ['--url', url, '--token', token, '--operation', 'createGuest', '--runs', '1'];
  const outcome = await runProcess('contract-first', ['check', ...args, '--max-response-time', limit]);
  expect(outcome).toMatchObject({ code, stdout: expect.stringMatching(output) });
});
