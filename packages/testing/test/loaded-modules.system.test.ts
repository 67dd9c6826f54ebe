import { ROOT, runProcess } from '@contract-first/testing/service.ts';

/** Prints the packages of the modules that are loaded with others, and `fetch` if Node has loaded it. */
const PRINT_LOADED = `
import { registerHooks } from 'node:module';
const loaded = new Set();
registerHooks({
  load(url, context, next) {
    const [, name] = /^.*\\/node_modules\\/((?:@[^/]+\\/)?[^/]+)/.exec(url) ?? [];
    if (name !== undefined) loaded.add(name);
    return next(url, context);
  },
});
for (const name of process.argv.slice(1)) await import(name);
if (process.moduleLoadList.includes('NativeModule internal/deps/undici/undici')) loaded.add('fetch');
console.log(JSON.stringify([...loaded]));
process.exit();
`;

// Each is needed for one branch only, and takes a tenth to a half of the time of a start.
test.each([
  [
    'the commands',
    [
      'check/command',
      'check/proxy',
      'diff/command',
      'generate/command',
      'generate/dev',
      'generate/init',
      'mock/command',
    ],
    ['openapi-typescript', 'prettier', 'typescript', 'yaml', 'fetch'],
  ],
  ['a command on a store', ['engine', 'engine/run', 'database'], ['express', 'passport', 'jose', 'pg', 'fetch']],
  [
    'a service',
    ['engine', 'engine/run', 'engine/tools', 'database'],
    ['pg', 'jose', '@opentelemetry/sdk-node', 'fetch'],
  ],
])('libraries that few processes need are loaded on demand: %s', async (_name, entries, onDemand) => {
  const names = entries.map((entry) => `@contract-first/${entry}`);
  const { code, stdout, stderr } = await runProcess(
    'node',
    ['--input-type=module', '-e', PRINT_LOADED, ...names],
    {},
    ROOT,
  );
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  const loaded = JSON.parse(stdout) as readonly string[];
  expect(loaded).toContain('ajv');
  expect(loaded.filter((name) => onDemand.includes(name))).toEqual([]);
});
