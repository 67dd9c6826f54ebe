import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { application } from '../src/service.ts';
import { readConfig } from '@contract-first/engine/tools';
import { ROOT } from '@contract-first/testing/service.ts';
import { VARIABLES } from '@contract-first/contract';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const SOURCES = readdirSync(join(ROOT, 'packages/engine/src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(ROOT, 'packages/engine/src', name), 'utf8'))
  .join('\n');

/** Returns the cells of the table with a given name of the first column. */
function tableOf(name: string, text: string): string[][] {
  const [, table = ''] = new RegExp(`^\\| ${name} .*\\n\\|[- |]+\\n((?:\\|.*\\n)+)`, 'm').exec(text) ?? [];
  const lines = table.trimEnd().split('\n');
  return lines.map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
}

const namesIn = (cell: string): string[] => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);

const rowsOf = (file: string) =>
  tableOf('Variable', read(file)).map(([variables = '', fallback = '']) => [namesIn(variables), fallback] as const);
const rows = rowsOf('docs/reference/configuration.md');
const env = { API_TOKENS: 'test-token' };
const { database } = application;

test('the configuration table has exactly the variables that the service reads, which no setting may have', async () => {
  const variables = new Set<string>();
  await readConfig(
    new Proxy<Record<string, string>>(env, {
      get: (target, name) => {
        variables.add(String(name));
        return target[String(name)];
      },
    }),
    database,
  );
  expect(rows.flatMap(([names]) => names).sort()).toEqual([...variables].sort());
  expect([...VARIABLES].sort()).toEqual([...variables].sort());
});

test.each(rows.filter(([, fallback]) => /^`[^`]+`$/.test(fallback)))(
  'the configuration table %j: the default is %s',
  async (names, fallback) => {
    const [value = ''] = namesIn(fallback);
    for (const name of names)
      expect(await readConfig({ ...env, [name]: value }, database)).toEqual(await readConfig(env, database));
  },
);

test('the list of statuses matches the failure statuses in the code', () => {
  const inCode = [...SOURCES.matchAll(/(?:new Failure\(|: \[|\bstatus: )([45]\d\d)(?=[,)])/g)].map(([, status]) =>
    Number(status),
  );
  const listed = [...read('docs/reference/behaviour.md').matchAll(/^- \*\*(\d{3})\*\*/gm)];
  expect(listed.map(([, status]) => Number(status))).toEqual([...new Set(inCode)].sort());
});

test('the README names an importing file for each package of the service', () => {
  const rows = tableOf('Package', read('README.md')).map(
    ([packages = '', , files = '']) =>
      [namesIn(packages), [...files.matchAll(/\(([^)]+)\)/g)].map(([, file = '']) => file)] as const,
  );
  expect(rows.length).toBeGreaterThan(4);
  for (const [packages, files] of rows) {
    const sources = files.map(read).join('\n');
    for (const name of packages.filter((each) => each !== 'jest')) expect(sources).toContain(`from '${name}`);
  }
});

test('CONTRIBUTING describes each npm script', () => {
  const { scripts } = JSON.parse(read('package.json')) as { scripts: object };
  const table = tableOf('`npm run …`', read('CONTRIBUTING.md'));
  expect(table.flatMap(([names = '']) => namesIn(names)).sort()).toEqual(Object.keys(scripts).sort());
});
