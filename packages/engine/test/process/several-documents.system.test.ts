import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { copyProject } from '@contract-first/testing/project.ts';
import { APPLICATIONS, start, startServiceProcess } from '@contract-first/testing/service.ts';

/** Returns a project whose `src/main.ts` serves two applications. */
function projectOf(name: string, other: string): string {
  const { folder, write } = copyProject(join(APPLICATIONS, name));
  write(
    'src/main.ts',
    `import { run } from '@contract-first/engine/run';
await run(() => import('./service.ts'), () => import('${join(APPLICATIONS, other, 'src/service.ts')}'));
`,
  );
  return folder;
}

test('one process serves several documents, each below its path, with one set of limits', async () => {
  const env = { RATE_LIMIT_REQUESTS: '3' };
  const service = await startServiceProcess(env, ['node', 'src/main.ts'], projectOf('books', 'legacy'));
  const { origin } = new URL(service.url);
  const statusOf = async (path: string, method = 'GET') =>
    (await fetch(origin + path, { method, headers: HEADERS })).status;
  expect(await statusOf('/v1/books')).toBe(200);
  expect(await statusOf('/api/accounts/1')).toBe(405);
  expect(await statusOf('/v1/docs')).toBe(200);
  expect(await (await fetch(`${origin}/api/openapi.json`)).json()).toMatchObject({ openapi: '3.0.3' });
  expect(await statusOf('/books')).toBe(404);
  const absolute = get(origin, { path: 'http://proxied.example/v1/books', headers: HEADERS });
  const [response] = (await once(absolute, 'response')) as [IncomingMessage];
  expect(response.resume().statusCode).toBe(200);
  expect(await statusOf('/api/accounts/1', 'PUT')).toBe(400);
  expect(await statusOf('/v1/books')).toBe(429); // The fourth request of this caller.
  const metrics = await (await fetch(`${service.opsUrl}/metrics`)).text();
  expect(metrics).toContain('http_requests_total{document="/v1",operation="listBooks",status="200"} 2');
  expect(metrics).toContain('http_requests_total{document="/api",operation="",status="405"} 1');
  service.process.kill('SIGTERM');
  expect((await service.outcome).code).toBe(0);
});

test('two documents below the same path prevent the start: one line, exit 1', async () => {
  const folder = projectOf('files', 'sensors');
  const { code, stderr } = await start('node', ['src/main.ts'], { PORT: '0' }, folder).outcome;
  expect(code).toBe(1);
  expect(stderr).toMatch(/^Files .* and Sensors .* are served below the same path, \/: write a path of its own in/);
});

const HEADERS = { Authorization: 'Bearer test-token' };
