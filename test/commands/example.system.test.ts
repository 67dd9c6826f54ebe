import { temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { run, startService } from '../support/plant-store.ts';

test('npm run example starts its own service, and prints a response and two failures', async () => {
  const outcome = await run('npm', ['run', '--silent', 'example'], { API_TOKENS: 'other', DOCS: 'wrong' });
  const lines = [
    '200 Fern (indoor)',
    "400 body must have required property 'name'",
    '401 send one valid bearer token: Authorization: Bearer <ACCESS_TOKEN>',
  ];
  expect(outcome).toEqual({ code: 0, stdout: lines.map((line) => `${line}\n`).join(''), stderr: '' });
});

test('npm run example stores its id with all digits', async () => {
  const env = { DATABASE_URL: temporaryDatabase() };
  const { url, token } = await startService(env);
  expect(await run('node', ['scripts/example.ts', '--url', url, '--token', token])).toMatchObject({ code: 0 });
  const { stdout } = await run('node', ['scripts/export.ts', '--history'], env);
  expect(stdout).toBe('{"id":9223372036854775807,"name":"Fern","tag":"indoor"}\n');
});

test('npm run example exits with the message of the service if the plant is not created', async () => {
  const { url } = await startService();
  const outcome = await run('node', ['scripts/example.ts', '--url', url, '--token', 'wrong']);
  expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('one valid bearer token') });
});
