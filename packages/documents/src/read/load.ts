import { readFile } from 'node:fs/promises';
import { isAbsolute, resolve } from 'node:path';
import { escapePointer, parseJson } from '@contract-first/contract';
import {
  BaseResolver,
  bundle,
  createConfig,
  type Document,
  lintDocument,
  loadIgnoreConfig,
  type LocationObject,
  type NormalizedProblem,
  Oas3_2Types,
  type Plugin,
  YamlParseError,
} from '@redocly/openapi-core';
import schema30 from '@seriousme/openapi-schema-validator/schemas/v3.0/schema.json' with { type: 'json' };
import schema31 from '@seriousme/openapi-schema-validator/schemas/v3.1/schema.json' with { type: 'json' };
import schema32 from '@seriousme/openapi-schema-validator/schemas/v3.2/schema.json' with { type: 'json' };
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { SchemaNames } from '../document/names.ts';
import { decode, type OpenApiDocument, resolveReference } from '../document/reference.ts';
import { walkDocument } from '../document/walk.ts';
import { NO_OUTSIDE } from './allowed-refs.ts';
import { type Diagnostic, type PlacedDiagnostic, placeDiagnostics } from './diagnostic.ts';
import { convertDialects } from './dialects.ts';
import { quoteInexactNumbers, unquoteNumbers } from './exact-numbers.ts';
import { findExclusions } from './exclusions.ts';
import {
  ExactResolver,
  type FileAccess,
  type FilePosition,
  FileReader,
  isHttpUrl,
  parseText,
  positionOf,
  type ReadFileText,
  Resolver,
} from './files.ts';
import { OldKeywords } from './old-keywords.ts';
import { findCollisions } from './operation-ids.ts';
import { escapePrototypeNames, unmark, unmarkNames } from './prototype-names.ts';
import { uncallableReason } from './unreachable-operations.ts';

/** A linted and bundled OpenAPI document. */
export type LoadedContract = {
  /** The document without external references, with bigints for large integers; `undefined` if it has errors. */
  readonly document: OpenApiDocument | undefined;
  /** The document as JSON with all digits of its numbers; empty if it has errors. */
  readonly text: string;
  readonly diagnostics: readonly PlacedDiagnostic[];
  /** Returns the location of a JSON pointer (`#/paths/~1pets`) for messages. */
  readonly placeOf: (pointer: string) => string;
  /** Returns the location of a JSON pointer into `document`, or of its closest parent that exists. */
  readonly locate: (pointer: string) => FilePosition;
  /** The names that schemas of other files have there, by name in `document`. Schemas of the document itself have no entry. */
  readonly schemaNames: SchemaNames;
  /** The absolute paths of the files that the document consists of, including unreadable ones. */
  readonly sources: readonly string[];
};

/** Matches the linter's message for OpenAPI 3.2 members in earlier versions. */
const NEW_IN_32 = /^Property `(?:itemSchema|itemEncoding|prefixEncoding|query|additionalOperations)` is not expected/;

/** Rules that a valid document must satisfy. */
const validity = {
  struct: 'error',
  'no-unresolved-refs': 'error',
  'operation-parameters-unique': 'error',
  'path-declaration-must-exist': 'error',
  'path-parameters-defined': 'error',
  'spec-components-invalid-map-name': 'error',
} as const;

/** Additional rules for a published document. */
const style = {
  'path-not-include-query': 'error',
  'operation-operationId': 'error',
  'no-ambiguous-paths': 'error',
  'no-identical-paths': 'error',
  'security-defined': 'error',
  'info-license': 'warn',
  'operation-4xx-response': 'warn',
  'operation-summary': 'warn',
  'operation-description': 'warn',
  'operation-tag-defined': 'warn',
  'tag-description': 'warn',
  'parameter-description': 'warn',
  'no-server-example.com': 'warn',
  'no-unused-components': 'warn',
  'no-empty-servers': 'warn',
  'no-undefined-server-variable': 'error',
  'no-invalid-media-type-examples': 'error',
  'no-invalid-schema-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-required-schema-properties-undefined': 'warn',
  'no-enum-type-mismatch': 'error',
} as const;

/** See `loadContract`. */
export async function lintAndBundle(
  path: string,
  rules: 'structure' | 'validity' | 'style',
  read: ReadFileText = () => undefined,
  access: FileAccess = { allowed: NO_OUTSIDE },
): Promise<LoadedContract> {
  const absolute = isHttpUrl(path) ? path : resolve(path);
  const ignore = await loadIgnoreConfig(undefined, new BaseResolver());
  const config = await createConfig(
    { rules: rules === 'style' ? { ...validity, ...style } : validity },
    { ignore, plugins: [linterTypes] },
  );
  const reader = new FileReader(absolute, read, access);
  const unreadable = (place: string, message: string): LoadedContract => ({
    document: undefined,
    text: '',
    diagnostics: [{ severity: 'error', place, message }],
    placeOf: () => path,
    locate: () => ({ file: path, line: 1, column: 1 }),
    schemaNames: new Map(),
    sources: [absolute],
  });

  let root;
  try {
    root = parseText(await (read(absolute) ?? readFile(path, 'utf8')), absolute);
  } catch (error) {
    if (!(error instanceof YamlParseError)) return unreadable(path, 'cannot be read: ' + (error as Error).message);
    return unreadable(`${path}:${String(error.line)}:${String(error.col)}`, error.message);
  }
  const version = (root.parsed as { openapi?: unknown } | null)?.openapi;
  if (typeof version !== 'string' || !/^3\.[0-2]\.\d+$/.test(version)) {
    const isSwagger = (root.parsed as { swagger?: unknown } | null)?.swagger !== undefined;
    const conversion = 'npx swagger2openapi --outfile openapi.yaml <document>';
    const message = isSwagger
      ? `is a Swagger 2.0 document, but OpenAPI 3.0 to 3.2 is needed: convert it with ${conversion}`
      : `must be an OpenAPI document of version 3.0, 3.1 or 3.2, not ${JSON.stringify(version ?? null)}`;
    return unreadable(path, message);
  }

  const oldKeywords = new OldKeywords();
  const isAsWritten = version.startsWith('3.0.') || rules === 'style';
  const convert = (file: Document): Document => (isAsWritten ? file : oldKeywords.convert(file));
  const externalRefResolver = new Resolver(config.resolve, reader, convert);
  root = withLocalReferences(convert(root));
  await externalRefResolver.link(root);

  const placeOf = (pointer: string): string => describe({ source: root.source, pointer, reportOnKey: true });
  const marked = { ...root, parsed: escapePrototypeNames(root.parsed) };
  const endless = findEndlessReferences(marked.parsed as OpenApiDocument);
  if (endless.length > 0) {
    return { ...unreadable(path, ''), diagnostics: placeDiagnostics('error', endless, placeOf) };
  }
  let lint: readonly NormalizedProblem[];
  try {
    lint = await lintDocument({ document: marked, config, externalRefResolver });
  } catch (error) {
    const { message } = error as Error; // The linter throws nothing else.
    const isDeep = error instanceof RangeError;
    return unreadable(path, isDeep ? 'is nested too deeply, or by too many references' : `cannot be read: ${message}`);
  }
  const isRelevant = (problem: NormalizedProblem): boolean =>
    problem.ignored !== true &&
    !isMisread(problem) &&
    !isValidName(problem) &&
    ![isInExtension, isInMapping, isUncallable].some((isIn) => isIn(problem.location[0]?.pointer));
  const found = lint.filter(isRelevant);
  const isStructural = ({ ruleId, severity }: NormalizedProblem): boolean =>
    ruleId === 'struct' && severity === 'error';
  const isValid = (): boolean =>
    isValidStructure(root.parsed as object, version) && // A document with a version is an object.
    (rules === 'structure' || version.startsWith('3.0.') || hasValidSchemas(root.parsed as object));
  const structural = found.filter(isStructural);
  const isTooStrict = structural.length > 0 && isValid();
  const schemas =
    structural.length > 0 && !version.startsWith('3.0.') ? schemaPointers(root.parsed as object) : new Set();
  const isAllowed = (problem: NormalizedProblem): boolean =>
    isStructural(problem) && (isTooStrict || schemas.has(holderOfUnknown(problem)));
  const diagnostics = [
    ...found.map((problem) => toDiagnostic(isAllowed(problem) ? { ...problem, severity: 'warn' } : problem)),
    ...placeDiagnostics('error', findExclusions(marked.parsed as OpenApiDocument), placeOf),
    ...(await externalRefResolver.findDynamicReferences(root)).map(({ message, ...place }): PlacedDiagnostic => {
      return { severity: 'error', place: describe({ ...place, reportOnKey: true }), message };
    }),
    ...oldKeywords.warnings().map(({ file: { source }, pointer, message }): PlacedDiagnostic => {
      return { severity: 'warn', place: describe({ source, pointer, reportOnKey: true }), message };
    }),
  ];
  const referenced = [...externalRefResolver.cache.keys()].filter(
    (file) => isAbsolute(file) && !reader.refused.has(file),
  );
  const sources = [absolute, ...referenced];
  const locate = (pointer: string): FilePosition => positionOf({ source: root.source, pointer, reportOnKey: true });
  if (diagnostics.some(({ severity }) => severity === 'error')) {
    const all = [...findCollisions(root.parsed as object, locate), ...diagnostics]; // It has a version.
    return { document: undefined, text: '', diagnostics: all, placeOf, locate, schemaNames: new Map(), sources };
  }

  const quoted = quoteInexactNumbers(root.source.body);
  const exact = quoted === root.source.body ? root : withLocalReferences(convert(parseText(quoted, absolute)));
  const isSingleFile = externalRefResolver.cache.size === 0;
  let bundled;
  if (!isSingleFile) {
    const exactResolver = new ExactResolver(config.resolve, reader, convert);
    await exactResolver.link(exact);
    const doc = { ...exact, parsed: escapePrototypeNames(exact.parsed) };
    bundled = await bundle({ config, doc, externalRefResolver: exactResolver });
  }
  const complete = bundled === undefined ? exact.parsed : unmarkNames(bundled.bundle.parsed);
  const text = unquoteNumbers(JSON.stringify(complete, null, 2));
  const document = parseJson(text) as OpenApiDocument; // The linter has checked this.
  const origins = isSingleFile ? undefined : await findOrigins(document, root, externalRefResolver);
  const locateOrigin = origins === undefined ? locate : (pointer: string) => positionOf(origins.of(pointer));
  const collisions = findCollisions(document, locateOrigin);
  const isRejected = collisions.length > 0;
  return {
    document: isRejected ? undefined : document,
    text: isRejected ? '' : text,
    diagnostics: [
      ...diagnostics,
      ...collisions,
      ...(bundled?.problems ?? []).filter((problem) => isRelevant(problem) && !isOfExample(problem)).map(toDiagnostic),
    ],
    placeOf,
    locate: locateOrigin,
    schemaNames: origins?.schemaNames ?? new Map(),
    sources,
  };
}

/** Shortens references with the document's own URI, `$self` (OpenAPI 3.2, 4.1.1), to fragments. */
function withLocalReferences(root: Document): Document {
  const { $self: self } = root.parsed as { readonly $self?: unknown };
  return typeof self === 'string' ? { ...root, parsed: shorten(root.parsed, self) } : root;
}

function shorten(node: unknown, self: string): unknown {
  if (typeof node !== 'object' || node === null) return node;
  if (Array.isArray(node)) return node.map((item) => shorten(item, self));
  const members = Object.entries(node).map(([key, value]) => {
    const isOwn = key === '$ref' && typeof value === 'string' && value.startsWith(`${self}#`);
    return [key, isOwn ? value.slice(self.length) : shorten(value, self)] as const;
  });
  return Object.fromEntries(members);
}

/**
 * Returns whether a document conforms to the JSON Schema of its OpenAPI version. The linter has better messages, but is
 * sometimes stricter, such as for `nullable` without `type`.
 */
function isValidStructure(document: object, version: string): boolean {
  const schemas = { '3.0': schema30, '3.1': schema31, '3.2': schema32 };
  const schema = schemas[version.slice(0, 3) as keyof typeof schemas]; // Other versions were rejected.
  return createAjv().validate(convertDialects(schema) as object, document); // The schema of 3.0 is draft 4.
}

function createAjv(): Ajv2020 {
  return new Ajv2020({ strict: false, logger: false, validateFormats: false });
}

/** Returns whether every schema is valid. The JSON Schema of OpenAPI 3.1 does not check schemas. */
function hasValidSchemas(document: object): boolean {
  const ajv = createAjv();
  let isValid = true;
  walkDocument(document, ({ kind, node }) => {
    if (kind !== 'schema' || !isValid) return;
    const { $schema: dialect = '', ...schema } = node; // Ajv2020 throws for other dialects.
    isValid = typeof dialect === 'string' && ajv.validateSchema(schema) === true;
  });
  return isValid;
}

/** Returns the JSON pointers of the schemas of a document. */
function schemaPointers(document: object): ReadonlySet<string | undefined> {
  const pointers = new Set<string>();
  walkDocument(document, ({ kind, pointer }) => {
    if (kind === 'schema') pointers.add(pointer);
  });
  return pointers;
}

/**
 * Returns the JSON pointer of the object with an unknown member that the linter reports. In OpenAPI 3.1 schemas,
 * unknown members are annotations (JSON Schema 2020-12, core 4.3.1).
 */
function holderOfUnknown({ message, location: [location] }: NormalizedProblem): string | undefined {
  return / is not expected here\b/.test(message) ? location?.pointer?.replace(/\/[^/]*$/, '') : undefined;
}

/** Returns whether the linter missed a path parameter with unusual characters in its name: `{id:}`. */
function isMisread({ ruleId, message }: NormalizedProblem): boolean {
  const [, name = '', path = ''] = /`([^`]+)` is not used in the path `([^`]+)`/.exec(message) ?? [];
  return ruleId === 'path-parameters-defined' && path.includes(`{${name}}`);
}

/** Whether the linter refused a name that is valid: a marked name, or the name of a schema in `$defs`, which has no rule. */
function isValidName({ ruleId, location: [location] }: NormalizedProblem): boolean {
  const [, name] = /^#\/components\/[^/]+\/([^/]+)$/.exec(unmark(location?.pointer ?? '')) ?? [];
  return ruleId === 'spec-components-invalid-map-name' && (name === undefined || /^[\w.-]+$/.test(name));
}

/** Whether a JSON pointer leads into an extension, where `$ref` has no meaning. */
function isInExtension(pointer = ''): boolean {
  return /(?<!\/(?:properties|schemas|headers|responses))\/x-/.test(pointer);
}

/** Returns whether a JSON pointer is inside a path that is not served. */
function isUncallable(pointer = ''): boolean {
  const [, path = ''] = /^#\/paths\/([^/]*)/.exec(pointer) ?? [];
  return uncallableReason(path) !== undefined;
}

/** Returns whether a problem concerns an example, whose `externalValue` may be unreadable. */
function isOfExample({ location: [location] }: NormalizedProblem): boolean {
  return /\/examples\/[^/]+$/.test(location?.pointer ?? '');
}

/** Returns whether a JSON pointer is inside a discriminator mapping, which is checked later. */
function isInMapping(pointer = ''): boolean {
  return /\/discriminator\/mapping\/[^/]*$/.test(pointer);
}

function toDiagnostic({ severity, message, ruleId, location: [location] }: NormalizedProblem): PlacedDiagnostic {
  const advice = NEW_IN_32.test(message) ? ' It needs openapi: 3.2.0.' : '';
  const text = `${unmark(message).trim().replaceAll(/\s+/g, ' ')}${advice} (${ruleId})`;
  return { severity, place: location === undefined ? 'the document' : describe(location), message: text };
}

function describe(location: LocationObject): string {
  if (location.pointer !== undefined && unmark(location.pointer) !== location.pointer) {
    return describe({ ...location, pointer: unmark(location.pointer) });
  }
  const { file, line, column } = positionOf(location);
  const place = `${file}:${String(line)}:${String(column)}`;
  return location.pointer === undefined ? place : `${place} ${location.pointer}`;
}

const { Response: response, DeviceAuthorization: flow } = Oas3_2Types;
const scopes = { name: 'ScopesMap', properties: {}, additionalProperties: { type: 'string' } } as const;

/**
 * Corrects the linter's types for OpenAPI 3.2. Version 2.64 requires the optional description of responses (4.17.1),
 * and throws on the scopes of device flows, since their type is missing.
 */
const linterTypes: Plugin = {
  id: 'types',
  typeExtension: {
    oas3: (types, version) =>
      version === 'oas3_2'
        ? {
            ...types,
            Response: { ...response, required: [] },
            DeviceAuthorization: { ...flow, properties: { ...flow.properties, scopes } },
          }
        : types,
  },
};

// Some tools resolve chained references recursively.
const MAX_CHAIN = 100;
const MAX_PROBLEMS = 20;

/** Finds local references that are circular or have too long chains. */
function findEndlessReferences(document: OpenApiDocument): readonly Diagnostic[] {
  const found: Diagnostic[] = [];
  visit(document, '#');
  return found;

  function visit(node: unknown, pointer: string): void {
    if (typeof node !== 'object' || node === null) return;
    const problem = problemOf(node);
    if (problem !== undefined && found.length < MAX_PROBLEMS) found.push({ pointer, message: problem });
    for (const [name, member] of Object.entries(node)) visit(member, `${pointer}/${escapePointer(name)}`);
  }

  function problemOf(start: object): string | undefined {
    const chain = new Set<unknown>();
    for (let node: unknown = start; ;) {
      const reference = (node as { readonly $ref?: unknown } | null | undefined)?.$ref;
      if (typeof reference !== 'string' || !reference.startsWith('#/')) return undefined;
      if (chain.has(node)) return node === start ? 'this $ref leads back to itself' : undefined;
      if (chain.size === MAX_CHAIN) return `this $ref leads through more than ${String(MAX_CHAIN)} others`;
      chain.add(node);
      node = resolveReference(document, reference);
    }
  }
}

/** A node of a file. The pointer begins without `#`. */
type Origin = { readonly file: Document; readonly pointer: string; readonly node: unknown };

/**
 * Maps the nodes of a bundled document to their original files.
 *
 * @param root the document before it was bundled
 * @param resolver has read the other files
 * @returns a function from a JSON pointer (`#/paths/~1pets`) to its location in the file, and the names of schemas
 */
async function findOrigins(
  bundled: OpenApiDocument,
  root: Document,
  resolver: BaseResolver,
): Promise<{ readonly of: (pointer: string) => LocationObject; readonly schemaNames: SchemaNames }> {
  const files = new Map([[root.source.absoluteRef, root]]);
  for (const [name, reading] of resolver.cache) {
    const read = await reading.catch(() => undefined); // An example elsewhere, which need not be readable.
    if (read !== undefined && 'source' in read) files.set(name, { ...read, parsed: unmarkNames(read.parsed) });
  }
  // The origins by pointer in the bundle, at each node that comes from another place.
  const origins = new Map<string, Origin>();

  function visit(node: unknown, pointer: string, origin: Origin): void {
    const target = targetOf(origin);
    const bundledReference = (node as { $ref?: unknown } | null | undefined)?.$ref;
    if (target === undefined) {
      visitMembers(node, pointer, origin);
    } else if (typeof bundledReference === 'string') {
      const moved = decode(bundledReference).slice(1);
      if (!origins.has(moved)) enter(resolveReference(bundled, bundledReference), moved, target);
    } else {
      enter(node, pointer, target);
    }
  }

  function enter(node: unknown, pointer: string, origin: Origin): void {
    origins.set(pointer, origin);
    visit(node, pointer, origin);
  }

  function visitMembers(node: unknown, pointer: string, { file, pointer: own, node: original }: Origin): void {
    if (!isObject(node) || !isObject(original)) return;
    for (const [name, member] of Object.entries(node)) {
      const step = `/${escapePointer(name)}`;
      visit(member, pointer + step, { file, pointer: own + step, node: original[name] });
    }
  }

  function targetOf({ file, node }: Origin): Origin | undefined {
    const reference = isObject(node) ? node['$ref'] : undefined;
    if (typeof reference !== 'string') return undefined;
    const [path = '', fragment = ''] = reference.split('#');
    const { absoluteRef } = file.source;
    const next = files.get(path === '' ? absoluteRef : resolver.resolveExternalRef(absoluteRef, path));
    if (next === undefined) return undefined;
    const found = fragment === '' ? next.parsed : resolveReference(next.parsed as OpenApiDocument, `#${fragment}`);
    return { file: next, pointer: decode(fragment), node: found };
  }

  /** Returns the name of a schema as a component of its file, else its names as components of others, else its name in `$ref`. */
  function namesOf(schema: Origin): readonly string[] {
    const [, own] = /^\/components\/schemas\/([^/]+)$/.exec(schema.pointer) ?? [];
    if (own !== undefined) return [own];
    const path = schema.pointer || schema.file.source.absoluteRef.replace(/\.[^./]*$/, '');
    return aliases.get(keyOf(schema)) ?? path.split(/[/\\]/).slice(-1);
  }

  /** Returns the names of components that are references, by the place that they lead to. */
  function readAliases(): ReadonlyMap<string, readonly string[]> {
    const found = new Map<string, string[]>();
    for (const file of files.values()) {
      for (const [name, node] of Object.entries(schemasOf(file.parsed))) {
        const key = keyOf(endOf({ file, pointer: `/components/schemas/${name}`, node }));
        found.set(key, [...new Set([...(found.get(key) ?? []), name])]);
      }
    }
    return found;
  }

  function endOf(origin: Origin, length = 0): Origin {
    // The linter has not checked references that the document does not use.
    const target = length === MAX_CHAIN ? undefined : targetOf(origin);
    return target === undefined ? origin : endOf(target, length + 1);
  }

  function keyOf({ file, pointer }: Origin): string {
    return `${file.source.absoluteRef}#${pointer}`;
  }

  enter(bundled, '', { file: root, pointer: '', node: root.parsed });
  const aliases = readAliases();
  const moved = Object.keys(schemasOf(bundled)).filter((name) => !Object.hasOwn(schemasOf(root.parsed), name));
  const names = moved.flatMap((name) => {
    const origin = origins.get(`/components/schemas/${name}`);
    return origin === undefined ? [] : [[name, namesOf(origin)] as const];
  });
  return {
    of(pointer) {
      const wanted = pointer.replace(/^#/, '');
      const start = prefixes(wanted).find((prefix) => origins.has(prefix)) ?? '';
      const { file, pointer: own } = origins.get(start) ?? { file: root, pointer: '' };
      return { source: file.source, pointer: `#${own}${wanted.slice(start.length)}`, reportOnKey: true };
    },
    schemaNames: new Map(names),
  };
}

function schemasOf(file: unknown): Readonly<Record<string, unknown>> {
  const { components } = Object(file) as { readonly components?: unknown };
  return Object((Object(components) as { readonly schemas?: unknown }).schemas) as Readonly<Record<string, unknown>>;
}

/** Returns the pointers of a node and of its parents, the longest first: `/a/b`, `/a` and the empty one. */
function prefixes(pointer: string): readonly string[] {
  const steps = pointer.split('/');
  return steps.map((_step, index) => steps.slice(0, steps.length - index).join('/'));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
