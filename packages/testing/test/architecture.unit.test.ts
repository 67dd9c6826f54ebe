import { expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { contract } from '../../src/plants/contract.ts';
import { ROOT } from '../support/service.ts';

const ENGINE = ['contract', 'auth', 'http', 'server', 'docs', 'ops', 'database'].map((name) => `src/engine/${name}`);

/** The folders that each folder may import from. Imports go one way: to the layers below, never to those above. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  generated: [],
  'src/engine/contract': [],
  'src/engine/auth': ['src/engine/contract'],
  'src/engine/http': ['src/engine/contract', 'src/engine/auth'],
  'src/engine/server': ['src/engine/http'],
  'src/engine/docs': ['src/engine/contract', 'src/engine/http'],
  'src/engine/ops': ['src/engine/http'],
  'src/engine/database': ['src/engine/database/sqlite', 'src/engine/database/postgres'],
  'src/engine/database/sqlite': ['src/engine/database'],
  'src/engine/database/postgres': ['src/engine/database'],
  'src/engine': ENGINE,
  'src/engine/process': ['src/engine', ...ENGINE],
  'src/plants': ['generated', 'src/engine', ...ENGINE],
  src: ['src/engine', 'src/engine/process', 'src/plants', ...ENGINE],
  'scripts/openapi': [...ENGINE],
  'scripts/generate': ['scripts/openapi', 'scripts/terminal', 'scripts/values', ...ENGINE],
  'scripts/plants/bench': ['scripts/openapi', 'src', 'src/plants', 'src/engine/process', ...ENGINE],
  'scripts/plants/bench/servers': [
    'scripts/plants/bench',
    'src',
    'src/plants',
    'src/engine',
    'src/engine/process',
    ...ENGINE,
  ],
  'scripts/corpus': ['scripts/jobs', 'src', 'src/engine', 'src/engine/process'],
  'scripts/dev': [],
  'scripts/diff': ['scripts/openapi'],
  'scripts/diff/reports': ['scripts/diff', 'scripts/reports'],
  'scripts/reports': [],
  'scripts/terminal': ['scripts/openapi', 'src/engine/contract'],
  'scripts/values': ['scripts/openapi', ...ENGINE],
  'scripts/check': [
    ...['scripts/check/coverage', 'scripts/check/state', 'scripts/openapi', 'scripts/terminal', 'scripts/values'],
    ...ENGINE,
  ],
  'scripts/check/coverage': ['scripts/check', 'scripts/openapi', 'scripts/values', ...ENGINE],
  'scripts/check/reports': ['scripts/check', 'scripts/reports', 'scripts/values'],
  'scripts/check/state': ['scripts/check', 'scripts/openapi', 'scripts/values', ...ENGINE],
  'scripts/mock': ['scripts/openapi', 'scripts/values', 'scripts/generate', 'src/engine', ...ENGINE],
  'scripts/init': [
    ...[
      'scripts/openapi',
      'scripts/generate',
      'scripts/check',
      'scripts/reports',
      'scripts/terminal',
      'scripts/values',
    ],
    'src/engine/contract',
  ],
  'scripts/documents': [],
  'scripts/jobs': [],
  'scripts/mutation': [],
  'scripts/commands': [
    ...['scripts/check', 'scripts/check/coverage', 'scripts/check/reports', 'scripts/diff', 'scripts/diff/reports'],
    ...['scripts/openapi', 'scripts/terminal', 'scripts/values', 'generated', ...ENGINE],
  ],
  'scripts/plants/import': ['src/plants', ...ENGINE],
  scripts: [
    ...['scripts/openapi', 'scripts/generate', 'scripts/dev', 'scripts/commands', 'scripts/check', 'scripts/corpus'],
    ...[
      'scripts/documents',
      'scripts/jobs',
      'scripts/mutation',
      'scripts/init',
      'scripts/terminal',
      'scripts/values',
      'scripts/mock',
      'generated',
      'src',
      'src/engine',
      'src/engine/process',
      ...ENGINE,
    ],
  ],
  'scripts/plants': [
    ...[
      'scripts',
      'scripts/plants/bench',
      'scripts/plants/import',
      'scripts/terminal',
      'scripts/check',
      'src',
      'src/plants',
      'src/engine',
    ],
    ...['src/engine/process', 'src/engine/database/sqlite', ...ENGINE],
  ],
};

const files = ['src', 'scripts', 'generated'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    // The template becomes an application elsewhere.
    .filter((name) => /\.(?:ts|json)$/.test(name) && !name.startsWith('scripts/init/template/')),
);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function importsOf(file: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'));
  return importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), fileName)) : fileName,
  );
}

const local = (file: string): readonly string[] => (imports.get(file) ?? []).filter((name) => imports.has(name));
const layerOf = (file: string): string => dirname(file);

test('architecture: there are source files, and each belongs to a layer', () => {
  expect(files.length).toBeGreaterThan(20);
  expect([...new Set(files.map(layerOf))].sort()).toEqual(Object.keys(LAYERS).sort());
});

test('architecture: imports go down the layers only', () => {
  const wrong = files.flatMap((file) => {
    const allowed = [layerOf(file), ...(LAYERS[layerOf(file)] ?? [])];
    return local(file)
      .filter((name) => !allowed.includes(layerOf(name)))
      .map((name) => `${file} imports ${name}`);
  });
  expect(wrong).toEqual([]);
});

test('architecture: ARCHITECTURE draws these layers', () => {
  const text = readFileSync(join(ROOT, '.github/ARCHITECTURE.md'), 'utf8');
  const [, drawing = ''] = /^flowchart TD\n([^`]*)/m.exec(text) ?? [];
  const edges = drawing.matchAll(/^ +(\w+)(?:\[.*\])? --> (.+)$/gm);
  const drawn = new Map([...edges].map(([, from = '', to = '']) => [from, to.replaceAll(/\[.*?\]/g, '').split(' & ')]));
  const below = (layer: string, ofLayer: (layer: string) => readonly string[]): readonly string[] => [
    ...new Set(ofLayer(layer).flatMap((next) => [next, ...below(next, ofLayer)])),
  ];
  const nameOf = (layer: string): string => layer.replace(/^src\/(?:engine\/)?/, '');
  const isDrawn = (name: string): boolean => name.startsWith('src') && !name.startsWith('src/engine/database/');
  for (const layer of Object.keys(LAYERS).filter(isDrawn)) {
    const meant = below(layer, (name) => (name === 'src/engine/database' ? [] : (LAYERS[name] ?? []))).map(nameOf);
    expect([nameOf(layer), ...below(nameOf(layer), (name) => drawn.get(name) ?? [])].sort()).toEqual(
      [...new Set([nameOf(layer), ...meant])].sort(),
    );
  }
});

test('architecture: what other services share does not mention the application', () => {
  const shared = ['src/engine', 'scripts'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
  );
  const isShared = (name: string): boolean => /\.\w+$/.test(name) && !/^scripts\/(?:plants|init)\//.test(name);
  const wrong = shared.filter((name) => isShared(name) && /plant/i.test(readFileSync(join(ROOT, name), 'utf8')));
  expect(wrong).toEqual([]);
});

test('architecture: no import cycle', () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (path.includes(file) || done.has(file)) return;
    for (const name of local(file)) visit(name, [...path, file]);
    done.add(file);
  };
  files.forEach((file) => {
    visit(file, []);
  });
  expect(cycles).toEqual([]);
});

test('architecture: every local import is resolved', () => {
  const unknown = files.flatMap((file) =>
    (imports.get(file) ?? []).filter((name) => /^(?:src|scripts|generated|\.)/.test(name) && !imports.has(name)),
  );
  expect(unknown).toEqual([]);
});

test('architecture: the store knows no HTTP, handlers know no Express and no SQL, and only the composition root knows Express', () => {
  // The bench compares the service with peers built on the same libraries.
  const users = (library: RegExp): string[] =>
    files
      .filter((file) => !file.startsWith('scripts/plants/bench/'))
      .filter((file) => (imports.get(file) ?? []).some((name) => library.test(name)));
  const inEngine = (...names: readonly string[]): string[] => names.map((name) => `src/engine/${name}`);
  expect(users(/^express$/).sort()).toEqual(inEngine('create-service.ts', 'http/app.ts'));
  expect(users(/^express-openapi-validator/)).toEqual([
    ...inEngine(
      'contract/linked-schemas.ts',
      'contract/missing-defaults.ts',
      'contract/problem.ts',
      'contract/schema-compiler.ts',
      'contract/violations.ts',
    ),
    'scripts/openapi/load.ts',
  ]);
  expect(users(/^ajv/)).toEqual([
    ...inEngine('contract/linked-schemas.ts', 'contract/missing-defaults.ts'),
    'scripts/diff/policy-file.ts',
    'scripts/diff/values.ts',
    'scripts/openapi/invalid-defaults.ts',
    'scripts/openapi/load.ts',
    'scripts/values/oracle.ts',
  ]);
  expect(users(/^passport/)).toEqual(inEngine('auth/bearer.ts'));
  expect(users(/^jose$/)).toEqual(inEngine('auth/jwt.ts', 'auth/key-set.ts'));
  expect(users(/^prom-client$/)).toEqual(inEngine('ops/metrics.ts'));
  expect(users(/^@opentelemetry\/api$/)).toEqual(
    inEngine('database/spans.ts', 'http/request-span.ts', 'process/telemetry.ts'),
  );
  expect(users(/^@opentelemetry\/(?!api$)/)).toEqual(inEngine('process/telemetry.ts'));
  expect(users(/^pino-pretty$/)).toEqual(inEngine('process/log.ts'));
  expect(users(/^pg$/)).toEqual(inEngine('database/postgres/session.ts'));
  expect(users(/^node:sqlite$/).filter((file) => !file.startsWith('src/engine/database/sqlite/'))).toEqual([]);
  const isHttp = (file: string): boolean => /^src\/engine\/(?:http|server|docs|ops)\//.test(file);
  expect(users(/^node:http$/).filter((file) => !isHttp(file))).toEqual([
    'scripts/check/connection.ts',
    'scripts/corpus/first-requests.ts',
  ]);
});

test('architecture: every operation has a test file that requires all of its statuses', () => {
  const missing = Object.keys(contract.operations).flatMap((operationId) => {
    const [file, line] = [`test/operations/${operationId}.test.ts`, `testEveryStatus('${operationId}');`];
    const isThere = existsSync(join(ROOT, file)) && readFileSync(join(ROOT, file), 'utf8').includes(line);
    return isThere ? [] : [`${file} with the last line ${line}`];
  });
  expect(missing).toEqual([]);
});

test('architecture: only main.ts, run.ts and the commands use process and console', () => {
  const users = files.filter(
    (file) =>
      file.startsWith('src/') && /(?<!\.)\bprocess\.\w|\bconsole\.\w/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(users.sort()).toEqual(['src/engine/process/run.ts', 'src/main.ts']);
});

test('architecture: no path, method or operationId of the document is repeated outside the application', () => {
  const sources = files.filter((file) => file.startsWith('src/') && !file.startsWith('src/plants/'));
  const typed = Object.values(contract.operations).flatMap(({ operationId, path }) =>
    ["'", '"', '`'].flatMap((quote) => [`${quote}${operationId}${quote}`, `${quote}${path.replace(/\{.*/, '')}`]),
  );
  const wrong = sources.filter((file) => {
    const source = readFileSync(join(ROOT, file), 'utf8');
    return typed.some((text) => source.includes(text));
  });
  expect(wrong).toEqual([]);
});
