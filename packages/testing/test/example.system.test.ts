import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandsOf, readBlocks } from '@contract-first/testing/documents/blocks.ts';
import { temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { ROOT, run, startService } from '@contract-first/testing/service.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');

test('npm run example prints the output in the README, with its own service', async () => {
  const commands = readBlocks(README).flatMap((block) => (block.language === 'console' ? commandsOf(block) : []));
  const shown = commands.find(({ text }) => text === 'npm run --silent example')?.quoted?.join('\n');
  const outcome = await run('npm', ['run', '--silent', 'example'], { API_TOKENS: 'other', DOCS: 'wrong' });
  expect(outcome).toEqual({ code: 0, stdout: `${String(shown)}\n`, stderr: '' });
});

test('npm run example stores its id with all its digits', async () => {
  const env = { DATABASE_URL: temporaryDatabase() };
  const { url, token } = await startService(env);
  expect(await run('node', ['scripts/example.ts', '--url', url, '--token', token])).toMatchObject({ code: 0 });
  const { stdout } = await run('node', ['scripts/export.ts', '--history'], env);
  expect(stdout).toBe('{"id":9223372036854775807,"name":"Fern","tag":"indoor"}\n');
});

test('npm run example ends with the message of the service when the plant is not created', async () => {
  const { url } = await startService();
  const outcome = await run('node', ['scripts/example.ts', '--url', url, '--token', 'wrong']);
  expect(outcome).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('one valid bearer token') });
});
