import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { mock } from 'node:test';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { openConnection, TIMEOUT_MS } from '../src/requests/connection.ts';

/** Sends a request to a server whose clock is mocked. */
async function send(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  cleanUp(() => {
    server.close().closeAllConnections();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo; // Of a TCP server.
  mock.timers.enable({ apis: ['setTimeout'] });
  cleanUp(() => {
    mock.timers.reset();
  });
  const { body } = await openConnection(new URL(`http://127.0.0.1:${String(port)}`)).send({
    method: 'GET',
    target: '/',
    headers: [],
    body: undefined,
  });
  return body.toString();
}

test('a response that has arrived, but was not read within the time limit, counts', async () => {
  const answer: RequestListener = (_request, response) => {
    response.end('late');
    mock.timers.tick(TIMEOUT_MS);
  };
  expect(await send(answer)).toBe('late');
});

test.each<[string, RequestListener]>([
  ['that does not begin', () => undefined],
  ['other than a sequence that does not end', (_request, response) => response.write('{')],
])('a response %s within the time limit is an error', async (_name, listener) => {
  const answer: RequestListener = (request, response) => {
    listener(request, response);
    mock.timers.tick(TIMEOUT_MS);
  };
  await expect(send(answer)).rejects.toThrow('time-out after 5000 ms');
});
