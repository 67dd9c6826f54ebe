import { describe, expect, test } from '@jest/globals';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { contract } from '../src/plants/contract.ts';
import { ROOT } from './support/service.ts';

/** What each part of the code may import from. Data flows one way: a part knows those below it, never those above. */
const LAYERS: Readonly<Record<string, readonly string[]>> = {
  generated: [],
  'src/store': [],
  'src/contract': ['generated'],
  'src/auth': ['src/contract'],
  'src/http': ['src/contract', 'src/auth'],
  'src/docs': ['src/contract', 'src/http'],
  'src/handlers': ['src/contract', 'src/store'],
  'src/ops': ['src/http'],
  src: ['src/contract', 'src/auth', 'src/docs', 'src/http', 'src/handlers', 'src/ops', 'src/store'],
  'scripts/contract': ['src/contract', 'src/auth', 'src/http'],
  'scripts/bench': ['scripts/contract', 'src', 'src/contract', 'src/store'],
  'scripts/bench/servers': [
    ...['scripts/bench', 'src', 'src/auth', 'src/contract', 'src/handlers', 'src/http', 'src/ops'],
  ],
  'scripts/dev': [],
  'scripts/diff': ['scripts/contract'],
  'scripts/check': ['scripts/contract', 'src/contract'],
  'scripts/import': ['src/contract', 'src/http', 'src/handlers', 'src/store'],
  scripts: [
    ...['scripts/bench', 'scripts/contract', 'scripts/dev', 'scripts/diff', 'scripts/check', 'scripts/import'],
    ...['src', 'src/contract', 'src/store'],
  ],
};

const files = ['src', 'scripts', 'generated'].flatMap((folder) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => /\.(?:ts|json)$/.test(name))
    .map((name) => join(folder, name)),
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

describe('architecture', () => {
  test('there are files to look at, and each belongs to a layer', () => {
    expect(files.length).toBeGreaterThan(20);
    expect([...new Set(files.map(layerOf))].sort()).toEqual(Object.keys(LAYERS).sort());
  });

  test('imports go down the layers only', () => {
    const wrong = files.flatMap((file) => {
      const allowed = [layerOf(file), ...(LAYERS[layerOf(file)] ?? [])];
      return local(file)
        .filter((name) => !allowed.includes(layerOf(name)))
        .map((name) => `${file} imports ${name}`);
    });
    expect(wrong).toEqual([]);
  });

  test('the README draws these layers', () => {
    const [, drawing = ''] = /^flowchart TD\n([^`]*)/m.exec(readFileSync(join(ROOT, 'README.md'), 'utf8')) ?? [];
    const edges = drawing.matchAll(/^ +(\w+)(?:\[.*\])? --> (.+)$/gm);
    const drawn = new Map([...edges].map(([, from = '', to = '']) => [from, to.split(' & ')]));
    const below = (layer: string, ofLayer: (layer: string) => readonly string[]): readonly string[] => [
      ...new Set(ofLayer(layer).flatMap((next) => [next, ...below(next, ofLayer)])),
    ];
    const nameOf = (layer: string): string => layer.replace('src/', '');
    for (const layer of Object.keys(LAYERS).filter((name) => name.startsWith('src'))) {
      const meant = below(layer, (name) => LAYERS[name] ?? []).map(nameOf);
      expect([...below(nameOf(layer), (name) => drawn.get(name) ?? [])].sort()).toEqual([...meant].sort());
    }
  });

  test('no import cycle', () => {
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

  test('every local import has been understood', () => {
    const unknown = files.flatMap((file) =>
      (imports.get(file) ?? []).filter((name) => /^(?:src|scripts|generated|\.)/.test(name) && !imports.has(name)),
    );
    expect(unknown).toEqual([]);
  });

  test('the store knows no HTTP, handlers know no Express and no SQL, and only the composition root knows Express', () => {
    // The bench compares the service with what others would make of these libraries.
    const users = (library: RegExp): string[] =>
      files
        .filter((file) => !file.startsWith('scripts/bench/'))
        .filter((file) => (imports.get(file) ?? []).some((name) => library.test(name)));
    expect(users(/^express$/)).toEqual(['src/app.ts']);
    expect(users(/^express-openapi-validator/)).toEqual(['src/contract/validator.ts']);
    expect(users(/^passport/)).toEqual(['src/auth/bearer.ts']);
    expect(users(/^jose$/)).toEqual(['src/auth/jwt.ts', 'src/auth/key-set.ts']);
    expect(users(/^prom-client$/)).toEqual(['src/ops/metrics.ts']);
    expect(users(/^pino-pretty$/)).toEqual(['src/log.ts']);
    expect(users(/^pg$/)).toEqual(['src/store/postgres-session.ts']);
    expect(users(/^node:sqlite$/).filter((file) => !file.startsWith('src/store/sqlite-'))).toEqual([]);
    expect(users(/^node:http$/).filter((file) => !file.startsWith('src/http/'))).toEqual([
      'src/app.ts',
      'src/server.ts',
      'src/docs/docs.ts',
      'src/ops/ops-listener.ts',
      'scripts/check/exchange.ts',
    ]);
  });

  test('every operation has a test file, which asks for all of its statuses', () => {
    const missing = Object.keys(contract.operations).flatMap((operationId) => {
      const [file, line] = [`test/${operationId}.test.ts`, `testEveryStatus('${operationId}');`];
      const isThere = existsSync(join(ROOT, file)) && readFileSync(join(ROOT, file), 'utf8').includes(line);
      return isThere ? [] : [`${file} with the last line ${line}`];
    });
    expect(missing).toEqual([]);
  });

  test('only main.ts, process.ts and the commands touch the process', () => {
    const users = files.filter(
      (file) =>
        file.startsWith('src/') && /(?<!\.)\bprocess\.\w|\bconsole\.\w/.test(readFileSync(join(ROOT, file), 'utf8')),
    );
    expect(users).toEqual(['src/main.ts', 'src/process.ts']);
  });

  test('no path, method or operationId of the document is typed again outside the handlers', () => {
    const sources = files.filter((file) => file.startsWith('src/') && !file.startsWith('src/handlers/'));
    const typed = Object.values(contract.operations).flatMap(({ operationId, path }) =>
      ["'", '"', '`'].flatMap((quote) => [`${quote}${operationId}${quote}`, `${quote}${path.replace(/\{.*/, '')}`]),
    );
    const wrong = sources.filter((file) => {
      const source = readFileSync(join(ROOT, file), 'utf8');
      return typed.some((text) => source.includes(text));
    });
    expect(wrong).toEqual([]);
  });
});
