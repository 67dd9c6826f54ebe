import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import ts from 'typescript';
import { ROOT } from '@contract-first/testing/service.ts';

type Manifest = {
  readonly name: string;
  readonly description?: string;
  readonly keywords?: readonly string[];
  readonly license?: string;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly exports: Readonly<Record<string, string>>;
};

/** The published packages. Tests may import their internal files. */
const packages = readdirSync(join(ROOT, 'packages'))
  .filter((folder) => folder !== 'testing')
  .map((folder) => ({
    folder: `packages/${folder}`,
    // Validated by npm.
    manifest: JSON.parse(readFileSync(join(ROOT, 'packages', folder, 'package.json'), 'utf8')) as Manifest,
  }));
const names = packages.map(({ manifest }) => manifest.name);

/** Returns the TypeScript files in a folder of the project. */
function filesIn(folder: string): string[] {
  if (!existsSync(join(ROOT, folder))) return [];
  return (
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .map((name) => join(folder, name))
      // Skips templates, which become separate applications.
      .filter((name) => name.endsWith('.ts') && !name.includes('/init/templates/'))
  );
}

const files = ['src', 'scripts', ...packages.map(({ folder }) => `${folder}/src`)].flatMap(filesIn);
const imports = new Map(files.map((file) => [file, importsOf(file)]));

/** Returns the imports of a file: paths of project files, and names of packages. */
function importsOf(file: string): readonly string[] {
  const { importedFiles } = ts.preProcessFile(readFileSync(join(ROOT, file), 'utf8'));
  return importedFiles.map(({ fileName }) =>
    fileName.startsWith('.') ? relative(ROOT, join(ROOT, dirname(file), fileName)) : fileName,
  );
}

const shortName = (name: string): string => name.replace('@contract-first/', '');

/** Returns the package name of an import. */
const packageOf = (name: string): string => /^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? '';

test('docs/maintain/architecture.md lists the imports between the packages, the importing one first', () => {
  const text = readFileSync(join(ROOT, 'docs/maintain/architecture.md'), 'utf8');
  const listed = [...text.matchAll(/^(\S.*?) +──> (.+)$/gm)].map(
    ([, from = '', to = '']) => [from, to.split(', ')] as const,
  );
  const ofStore = files
    .filter((file) => !file.startsWith('packages/'))
    .flatMap((file) => importsOf(file).map(packageOf));
  const meant = packages.map(({ manifest }) => [manifest.name, Object.keys(manifest.dependencies ?? {})] as const);
  const importsBetween = [['the plant store', ofStore] as const, ...meant].flatMap(([from, to]) => {
    const own = new Set(to.filter((name) => names.includes(name)).map(shortName));
    return own.size === 0 ? [] : [[shortName(from), [...own].sort()] as const];
  });
  expect(new Map(listed.map(([from, to]) => [from, to.toSorted()]))).toEqual(new Map(importsBetween));
  const order = listed.map(([from]) => from);
  const upwards = listed.filter(([from, to]) => to.some((name) => order.slice(0, order.indexOf(from)).includes(name)));
  expect(upwards).toEqual([]);
});

test('docs/maintain/architecture.md lists the folders of check and of model, the importing one first', () => {
  const text = readFileSync(join(ROOT, 'docs/maintain/architecture.md'), 'utf8');
  const lists = [...text.matchAll(/^A folder of `([^`]+)` imports the folders below it:\n\n```text\n([^`]+)```/gm)];
  expect(lists.map(([, source]) => source)).toEqual(['packages/check/src', 'packages/model/src']);
  for (const [, source = '', list = ''] of lists) {
    const listed = [...list.matchAll(/^[a-z]+/gm)].map(([folder]) => folder);
    const folders = readdirSync(join(ROOT, source), { withFileTypes: true }).filter((entry) => entry.isDirectory());
    expect(listed.toSorted()).toEqual(folders.map(({ name }) => name).sort());
    const placeOf = (file: string): number => listed.findIndex((folder) => file.startsWith(`${source}/${folder}/`));
    // Files beside the folders may import from all folders.
    const upwards = filesIn(source).flatMap((file) =>
      (imports.get(file) ?? [])
        .filter((name) => name.startsWith(`${source}/`) && placeOf(name) < placeOf(file))
        .map((name) => `${file} imports ${name}`),
    );
    expect(upwards).toEqual([]);
  }
});

test('each package imports only its own files and its dependencies', () => {
  const wrong = packages.flatMap(({ folder, manifest }) => {
    const allowed = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies });
    const isAllowed = (name: string): boolean =>
      imports.has(name)
        ? name.startsWith(`${folder}/src/`)
        : /^(?:node:|#)/.test(name) || name.startsWith(`${folder}/src/`) || allowed.includes(packageOf(name));
    return filesIn(`${folder}/src`).flatMap((file) =>
      importsOf(file)
        .filter((name) => !isAllowed(name))
        .map((name) => `${file} imports ${name}`),
    );
  });
  expect(wrong).toEqual([]);
});

test('each example imports only its own files and its dependencies', () => {
  const wrong = readdirSync(join(ROOT, 'examples'), { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap(({ name }) => {
      const folder = `examples/${name}`;
      const { dependencies = {} } = JSON.parse(readFileSync(join(ROOT, folder, 'package.json'), 'utf8')) as Manifest;
      const isAllowed = (imported: string): boolean =>
        imported.startsWith('node:') || imported.startsWith(`${folder}/`) || packageOf(imported) in dependencies;
      return filesIn(`${folder}/src`).flatMap((file) =>
        importsOf(file)
          .filter((imported) => !isAllowed(imported))
          .map((imported) => `${file} imports ${imported}`),
      );
    });
  expect(wrong).toEqual([]);
});

test('each package uses every dependency that it declares', () => {
  const unused = packages.flatMap(({ folder, manifest }) => {
    // Skips packages without sources, which only start another package.
    const sources = filesIn(`${folder}/src`);
    const used = new Set((sources.length > 0 ? sources : [`${folder}/bin.js`]).flatMap(importsOf).map(packageOf));
    return Object.keys(manifest.dependencies ?? {})
      .filter((name) => !used.has(name))
      .map((name) => `${manifest.name}: ${name}`);
  });
  expect(unused).toEqual([]);
});

test.each(['check', 'diff'])('%s is installed without the libraries of a service', (folder) => {
  const installed = new Set([`@contract-first/${folder}`]);
  // The loop also visits dependencies that are added meanwhile.
  for (const name of installed) {
    const { dependencies = {} } = packages.find(({ manifest }) => manifest.name === name)?.manifest ?? {};
    for (const dependency of Object.keys(dependencies)) installed.add(dependency);
  }
  expect(installed).toContain('ajv');
  const ofService = ['@contract-first/engine', 'express', 'express-openapi-validator', 'passport', 'pg'];
  expect(ofService.filter((name) => installed.has(name))).toEqual([]);
});

test('each package has a description, keywords, a license and a README for the registry', () => {
  const incomplete = packages.filter(({ folder, manifest }) => {
    const { description, keywords = [], license } = manifest;
    const isComplete = description !== undefined && keywords.length > 0 && license !== undefined;
    return !isComplete || !existsSync(join(ROOT, folder, 'README.md'));
  });
  expect(incomplete.map(({ folder }) => folder)).toEqual([]);
});

test('no import cycle', () => {
  const done = new Set<string>();
  const cycles: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) cycles.push([...path.slice(path.indexOf(file)), file].join(' -> '));
    if (path.includes(file) || done.has(file)) return;
    for (const name of imports.get(file) ?? []) if (imports.has(name)) visit(name, [...path, file]);
    done.add(file);
  };
  files.forEach((file) => {
    visit(file, []);
  });
  expect(cycles).toEqual([]);
});

test('the packages do not mention the plant store', () => {
  const shared = packages.flatMap(({ folder }) =>
    readdirSync(join(ROOT, folder, existsSync(join(ROOT, folder, 'src')) ? 'src' : '.'), {
      recursive: true,
      withFileTypes: true,
    })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name)),
  );
  expect(shared.filter((path) => /plant/i.test(readFileSync(path, 'utf8')))).toEqual([]);
});

test('no file below packages imports the plant store, tests and benchmarks included', () => {
  const wrong = filesIn('packages')
    .filter((file) => !file.includes('node_modules/'))
    .flatMap((file) =>
      importsOf(file)
        .filter((name) => /^(?:src|generated|scripts|test)\//.test(name))
        .map((name) => `${file} imports ${name}`),
    );
  expect(wrong).toEqual([]);
});

test('the plant store imports neither Express nor a database driver', () => {
  const known = files.filter((file) => !file.startsWith('packages/')).flatMap(importsOf);
  const outside = [...new Set(known.filter((name) => !/^(?:node:|src\/|scripts\/|generated\/)/.test(name)))];
  expect(outside.sort()).toEqual([
    '@contract-first/database',
    '@contract-first/engine',
    '@contract-first/engine/run',
    '@redocly/openapi-core',
    'contract-first',
    'contract-first/generate',
    'openapi-fetch',
  ]);
});

test('only types are imported from node:http; values come from nodeHttp', () => {
  const importsValues = (file: string): boolean =>
    /^import (?!type\b)[^;]*from 'node:http';/m.test(readFileSync(join(ROOT, file), 'utf8'));
  expect(files.filter(importsValues)).toEqual([]);
});

test('in the engine, only process modules use process and console', () => {
  const users = filesIn('packages/engine/src').filter((file) =>
    /(?<!\.)\bprocess\.\w|\bconsole\.\w/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  expect(users.sort()).toEqual([
    'packages/engine/src/import/import-lines.ts',
    'packages/engine/src/process/command.ts',
    'packages/engine/src/process/env-file.ts',
    'packages/engine/src/process/open-service.ts',
    'packages/engine/src/process/refuse.ts',
    'packages/engine/src/process/run.ts',
    'packages/engine/src/run.ts',
  ]);
});

test('only the modules of one folder write to the responses of a service', () => {
  const writers = filesIn('packages/engine/src').filter((file) =>
    /\b(?:res|response)\.(?:write\w*|end|setHeaders?|appendHeader|flushHeaders)\(/.test(
      readFileSync(join(ROOT, file), 'utf8'),
    ),
  );
  // The operations listener is a server of its own.
  const others = writers.filter((file) => !file.startsWith('packages/engine/src/http/reply/'));
  expect(others).toEqual(['packages/engine/src/ops/ops-listener.ts']);
});

test('the contract checks share only readers and corrections of Ajv with the engine, no validation', () => {
  const ofModel = ['cases', 'requests', 'operations', 'resources', 'values'].map(
    (folder) => `packages/model/src/${folder}`,
  );
  const judges = ['packages/check/src', ...ofModel].flatMap(filesIn);
  const shared = judges.flatMap((file) => {
    const text = readFileSync(join(ROOT, file), 'utf8');
    const imported = text.matchAll(/^import (?!type )\{([^}]+)\} from '@contract-first\/(?:contract|engine[^']*)';$/gm);
    return [...imported].flatMap(([, names = '']) => names.split(',').map((name) => name.trim()));
  });
  const values = shared.filter((name) => name !== '' && !name.startsWith('type '));
  expect([...new Set(values)].sort()).toEqual([
    ...['SCHEMA_KEYWORDS', 'SourceDigits', 'TimeLimitExceeded', 'VARIABLES', 'callSchema', 'createProgressLine'],
    ...[
      'describeSystemError',
      'escapePointer',
      'escapeToLine',
      'isInPlaceList',
      'kindOf',
      'mapBigints',
      'matchMediaType',
      'memoizeByObject',
      'nodeHttp',
      'normalizeTemplate',
    ],
    ...['parameterNames', 'parseJsonTree', 'replaceEvaluation', 'runWithin', 'sequenceKindOf', 'stringifyJson'],
  ]);
});
