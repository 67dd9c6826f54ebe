import { join } from 'node:path';
import { APPLICATIONS, startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';
import { describeStores } from '@contract-first/testing/stores.ts';

const BOOK = '{"kind":"ebook","title":"A \\u0000 title","bytes":9007199254740993}';
const STORED = `{"id":9007199254740993,"book":{"kind":"ebook","title":"A \\u0000 title","bytes":9007199254740993}}`;

describeStores((createDatabase) => {
  test('an application with its own table runs on the engine, and its rows survive a restart', async () => {
    const env = { DATABASE_URL: await createDatabase() };
    const start = (): Promise<ServiceProcess> =>
      startServiceProcess(env, ['node', 'src/main.ts'], join(APPLICATIONS, 'books'));
    const send = async ({ url, token }: ServiceProcess, method: string, path: string, body: string | null = null) => {
      const headers = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
      const response = await fetch(`${url}/v1${path}`, { method, headers, body });
      return [response.status, await response.text()];
    };

    const first = await start();
    expect(await send(first, 'POST', '/books', BOOK)).toEqual([201, STORED]);
    first.process.kill('SIGKILL');
    await first.outcome;
    const second = await start();
    expect(await send(second, 'GET', '/books/9007199254740993')).toEqual([200, STORED]);
    expect(await send(second, 'GET', '/books')).toEqual([200, `[${STORED}]`]);
    expect(await send(second, 'DELETE', '/books/9007199254740993')).toEqual([204, '']);
    expect((await send(second, 'GET', '/books/9007199254740993'))[0]).toBe(404);
    second.process.kill('SIGTERM');
    expect((await second.outcome).code).toBe(0);
  });
});
