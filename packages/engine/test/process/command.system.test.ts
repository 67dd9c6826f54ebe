import { mkdirSync } from 'node:fs';
import { temporaryDatabase } from '@contract-first/testing/cleanup.ts';
import { copyProject } from '@contract-first/testing/project.ts';
import { runProcess, type Outcome } from '@contract-first/testing/service.ts';

type Environment = Readonly<Record<string, string>>;

/** Runs a command of an application that has a setting and prints a line when it is closed. */
async function runCommand(work: string, env: Environment = {}, file = ''): Promise<Outcome> {
  const { folder, read, write } = copyProject();
  const source = read('src/service.ts')
    .replace(
      '  contract,\n',
      `  contract,\n  settings: { PAGE_SIZE: { type: 'integer', minimum: 1, maximum: 100 } },\n`,
    )
    .replace('() => store.close()', `() => (console.log('closed'), store.close()), store`);
  write('src/service.ts', `console.log('loaded with', process.env['PAGE_SIZE']);\n${source}`);
  mkdirSync(`${folder}/src/commands`);
  const command = `await runCommand(() => import('../service.ts'), async ({ store }, { settings, log }) => {\n${work}\n});`;
  write('src/commands/count.ts', `import { runCommand } from '@contract-first/engine/run';\n${command}\n`);
  write('.env', file);
  return runProcess('node', ['src/commands/count.ts'], { DATABASE_URL: temporaryDatabase(), ...env }, folder);
}

test('a command receives the settings and the opened application, logs to standard error, and closes the application: exit 0', async () => {
  const work = `await store.add({ id: 1n, name: 'Anna' }); console.log(settings); log.info('one guest');`;
  const { code, stdout, stderr } = await runCommand(work, {}, 'PAGE_SIZE=20');
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: 'loaded with 20\n{ PAGE_SIZE: 20 }\nclosed\n',
  });
  expect(JSON.parse(stderr)).toMatchObject({ level: 30, msg: 'one guest' });
});

test('a command lists every problem with the configuration, one line each: exit 1', async () => {
  const outcome = await runCommand('', { DATABASE_URL: 'mysql://host/db', LOG_LEVEL: 'loud' }, 'PAGE_SIZE=0');
  expect(outcome).toEqual({
    code: 1,
    stdout: 'loaded with 0\n',
    stderr: [
      'DATABASE_URL must be like sqlite:./data/service.db or postgres://user:password@host/database',
      'PAGE_SIZE must be an integer from 1 to 100, not "0"',
      'LOG_LEVEL must be one of fatal, error, warn, info, debug, trace, silent, not "loud"',
      '',
    ].join('\n'),
  });
});

test('a command prints one line when the database is unavailable: exit 1', async () => {
  const outcome = await runCommand('', { DATABASE_URL: 'postgres://x:x@127.0.0.1:1/x', PAGE_SIZE: '1' });
  expect(outcome).toMatchObject({ code: 1, stderr: expect.stringMatching(/^[^\n]*127\.0\.0\.1:1[^\n]*\n$/) });
});

test('a command that fails closes the application and prints the error: exit 1', async () => {
  const { code, stdout, stderr } = await runCommand(`throw new Error('no more beds')`, { PAGE_SIZE: '1' });
  expect({ code, stdout }).toEqual({ code: 1, stdout: 'loaded with 1\nclosed\n' });
  expect(stderr).toContain('Error: no more beds\n    at ');
});
