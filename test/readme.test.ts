import { describe, expect, test } from '@jest/globals';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { application } from '../src/service.ts';
import { readConfig } from '../src/engine/process/config.ts';
import { ROOT } from './support/service.ts';

const README = readFileSync(join(ROOT, 'README.md'), 'utf8');
const SOURCES = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
  .filter((name) => name.endsWith('.ts'))
  .map((name) => readFileSync(join(ROOT, 'src', name), 'utf8'))
  .join('\n');

/** The cells of the table whose first column has this name. */
function tableOf(name: string, text = README): string[][] {
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

describe('the configuration table', () => {
  const rows = tableOf('Variable').map(([variables = '', fallback = '']) => [namesIn(variables), fallback] as const);
  const env = { API_TOKENS: 'test-token' };
  const { defaultDatabaseUrl: URL } = application;

  test('has exactly the variables that are read', async () => {
    const read = new Set<string>();
    await readConfig(
      new Proxy<Record<string, string>>(env, {
        get: (target, name) => {
          read.add(String(name));
          return target[String(name)];
        },
      }),
      URL,
    );
    expect(rows.flatMap(([names]) => names).sort()).toEqual([...read].sort());
  });

  test.each(rows.filter(([, fallback]) => /^`[^`]+`$/.test(fallback)))(
    '%j: the default is %s',
    async (names, fallback) => {
      const [value = ''] = namesIn(fallback);
      for (const name of names)
        expect(await readConfig({ ...env, [name]: value }, URL)).toEqual(await readConfig(env, URL));
    },
  );
});

test('the table of errors has exactly the statuses of failures in the code', () => {
  const inCode = [...SOURCES.matchAll(/new Failure\((\d{3})|: \[(\d{3}), '/g)].map(([, failure, rejection]) =>
    Number(failure ?? rejection),
  );
  const inTable = tableOf('Status').map(([status]) => Number(status));
  expect(new Set(inTable)).toEqual(new Set(inCode));
});

test('CONTRIBUTING says what each npm script does', () => {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { scripts: object };
  const table = tableOf('`npm run …`', readFileSync(join(ROOT, '.github/CONTRIBUTING.md'), 'utf8'));
  expect(table.flatMap(([names = '']) => namesIn(names)).sort()).toEqual(Object.keys(scripts).sort());
});
