import { copyProject, type Project } from '@contract-first/testing/project.ts';
import { runProcess, startServiceProcess } from '@contract-first/testing/service.ts';

const DECLARED = `{
  MAIL_URL: { type: 'url', secret: true },
  SENDER: { type: 'string', optional: true },
  PAGE_SIZE: { type: 'integer', minimum: -1, maximum: 100, default: 20 },
  CURRENCY: { type: 'string', enum: ['EUR', 'USD'], default: 'EUR' },
  CLEANUP: { type: 'switch', default: false },
}`;

/** Copies the project and adds settings, whose values it prints at the start. */
function copyWithSettings(declared: string): Project {
  const project = copyProject();
  const source = project
    .read('src/service.ts')
    .replace('  contract,\n', `  contract,\n  settings: ${declared},\n`)
    .replace('{ location, ...options }) {\n', '{ location, settings, ...options }) {\n    console.log(settings);\n');
  project.write('src/service.ts', source);
  return project;
}

test("an application's settings are read from the environment and .env, and passed to open", async () => {
  const { folder, write } = copyWithSettings(DECLARED);
  write('.env', 'MAIL_URL=smtp://user:password@mail.example\nPAGE_SIZE=50\nCLEANUP=on');
  const service = await startServiceProcess({ PAGE_SIZE: '-1', CURRENCY: 'USD' }, undefined, folder);
  expect(service.output()).toMatch(/^\{\n {2}MAIL_URL: 'smtp:\/\/user:password@mail.example',\n {2}SENDER: undefined,/);
  expect(service.output()).toContain("  PAGE_SIZE: -1,\n  CURRENCY: 'USD',\n  CLEANUP: true\n}");
});

test("an application's invalid settings prevent the start, exit 1, one line each beside the engine's, without secrets", async () => {
  const { folder } = copyWithSettings(DECLARED);
  const wrong = { MAIL_URL: 'my secret', SENDER: ' ', PAGE_SIZE: '101', CURRENCY: 'GBP', CLEANUP: 'yes' };
  expect(await runProcess('node', ['src/main.ts'], { PORT: '-1', ...wrong }, folder)).toEqual({
    code: 1,
    stdout: '',
    stderr: [
      'PORT must be an integer from 0 to 65535, not "-1"',
      'MAIL_URL must be a URL',
      'SENDER must not be empty',
      'PAGE_SIZE must be an integer from -1 to 100, not "101"',
      'CURRENCY must be one of EUR, USD, not "GBP"',
      'CLEANUP must be on or off, not "yes"',
      '',
    ].join('\n'),
  });
});

test("an application's settings with a name that the engine uses or an invalid name prevent the start, exit 1", async () => {
  const names = ['OPS_PORT', 'NODE_PATH', 'OTEL_LOG_LEVEL', 'pageSize', '2ND_URL'];
  const { folder } = copyWithSettings(`{ ${names.map((name) => `'${name}': { type: 'string' }`).join()} }`);
  expect(await runProcess('node', ['src/main.ts'], { API_TOKENS: 'test-token' }, folder)).toEqual({
    code: 1,
    stdout: '',
    stderr: names
      .map((name, index) => {
        const reason =
          index < 3 ? 'the service itself reads this variable' : 'A to Z, 0 to 9 and _, beginning with a letter';
        return `the setting ${name} needs another name: ${reason}\n`;
      })
      .join(''),
  });
});

test("contract-first check starts a service with the application's settings from the environment and .env", async () => {
  const { folder, write } = copyWithSettings(DECLARED);
  const check = ['check', '--runs', '1', '--seed', '1', '--budget', '300'];
  expect(await runProcess('contract-first', check, {}, folder)).toMatchObject({
    code: 2,
    stderr: 'the service did not start: MAIL_URL must be set\n',
  });
  write('.env', 'MAIL_URL=smtp://localhost\nPORT=none\n');
  expect(await runProcess('contract-first', check, { BODY_LIMIT_BYTES: 'none' }, folder)).toMatchObject({ code: 0 });
});
