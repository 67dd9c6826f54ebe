import { createHmac } from 'node:crypto';
import { join } from 'node:path';
import { openRawConnection } from '@contract-first/testing/connection.ts';
import { EXAMPLES, startServiceProcess } from '@contract-first/testing/service.ts';

test('an Express application serves a document below a path, its own routes and a webhook, and stops after pending requests', async () => {
  const service = await startServiceProcess(
    { PAYMENT_SECRET: 'shared' },
    ['node', 'src/main.ts'],
    join(EXAMPLES, 'express'),
  );
  const send = (path: string, method = 'GET', body: string | null = null, headers: object = {}) =>
    fetch(service.url + path, {
      method,
      body,
      headers: { Authorization: `Bearer ${service.token}`, 'Content-Type': 'application/json', ...headers },
    });
  const pay = (secret: string) => {
    const signature = createHmac('sha256', secret).update('1').digest('hex');
    return send('/v1/hooks/payments', 'POST', '1', { 'X-Signature': signature });
  };

  expect(await (await send('/health')).text()).toBe('ready');
  const created = await send('/v1/orders', 'POST', '{"item":"Fern"}');
  expect([created.status, created.headers.get('location')]).toEqual([201, `${service.url}/v1/orders/1`]);
  const withoutBody = await openRawConnection(service.url);
  withoutBody.write('POST /v1/hooks/payments HTTP/1.1\r\nHost: a\r\n\r\n');
  expect(await withoutBody.receive('\r\n\r\n')).toMatch(/^HTTP\/1.1 403 /);
  expect((await pay('guessed')).status).toBe(403);
  expect((await pay('shared')).status).toBe(204);
  expect(await (await send('/v1/orders/1')).json()).toEqual({ id: 1, item: 'Fern', paid: true });
  expect(await (await send('/v1/orders/0')).json()).toMatchObject({ status: 400 });
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
});
