import { existsSync, realpathSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { readIfPresent } from '@contract-first/command-line/files';
import { printError } from '@contract-first/command-line/terminal';
import { kindOf, type Operation, parameterNames, stringifyJson } from '@contract-first/contract';
import type { AnyReply } from '@contract-first/engine/tools';
import type { ApiOperation } from '@contract-first/model/operations';
import { assertCorrections, type Corrections, itemsIn } from '@contract-first/model/resources';
import { CannotCheck, isObject, type Json, type JsonObject, partAt, type Values } from '@contract-first/model/values';
import type { Respond } from '../responses/respond.ts';
import { BoundedMap } from './bounded-map.ts';
import { createData, type MockState } from './state/data.ts';
import { IdempotencyKeys } from './requests/idempotency-keys.ts';
import { createIdentifiers, type Identifiers } from './resources/identifiers.ts';
import { create, patch, read, remove, replace } from './requests/items.ts';
import { list } from './requests/list.ts';
import { createModel, type Model } from './resources/model.ts';
import type { Cursors } from './resources/page.ts';
import { findMissing, resourcesIn, storePath } from './state/paths.ts';
import { createFail, type Fail, failureKey, type MockRequest } from './reply.ts';
import { findResources, type Resource, type Role, rolesOf } from './resources/resources.ts';
import type { Handle, Scope } from './requests/operation-context.ts';
import { Store } from './state/store.ts';

const MAX_CURSORS = 1_000;
const HANDLES: Readonly<Record<Role, Handle>> = { create, list, read, replace, patch, remove };

/** The memory of a mock. */
export type Memory = {
  /** Returns the handler of an operation; `undefined` where it is not about a known resource. */
  readonly handle: (operation: Operation, respond: Respond) => ((request: MockRequest) => AnyReply) | undefined;
  /** Wraps the function that responds to an operation which is not remembered: it fails below a resource that does not exist. */
  readonly respondWithin: (operation: Operation, respond: Respond) => Respond;
  /** Lines about the resources that are remembered, and about the others. */
  readonly summary: readonly string[];
  /** Returns a copy of the resources. */
  readonly state: () => MockState;
  /** Returns the resources for the docs page. */
  readonly describe: () => Readonly<Record<string, string>>;
  /** Stores other resources in place of all. @throws an error with all problems of the state, one line each */
  readonly replaceState: (state: MockState) => void;
  /** Stores the examples of the document in place of all. */
  readonly reset: () => void;
  /** Writes the last changes to the file. */
  readonly close: () => Promise<void>;
};

/** The operations of a document and its values, by direction. */
export type DocumentValues = {
  readonly operations: readonly ApiOperation[];
  readonly requests: Values;
  readonly responses: Values;
};

/** The options of a memory. */
export type MemoryOptions = {
  /** Decides which values are generated. */
  readonly seed: number;
  /** The number of resources that are kept. */
  readonly limit: number;
  readonly corrections: Corrections;
  /** The path of the file that keeps the resources; without one, they are only kept in memory. */
  readonly dataPath?: string | undefined;
};

/**
 * Creates the memory of a mock for a document, with the resources of a file, or else with its examples.
 *
 * @throws {CannotCheck} with all mistakes in the corrections or in the file
 */
export function createMemory(
  { operations, requests, responses }: DocumentValues,
  { seed, limit, corrections, dataPath }: MemoryOptions,
): Memory {
  const schemas = { requestSchemas: requests.schemas, responseSchemas: responses.schemas };
  assertCorrections(operations, corrections, schemas);
  const found = findResources(operations, schemas, corrections);
  const { resources } = found;
  const model = createModel(requests, responses);
  const identifiers = createIdentifiers(requests, responses, seed);
  let file: DataFile | undefined;
  const store = new Store(limit, () => file?.noteChange());
  const data = createData(resources, store, { model, identifiers, limit });
  const text = dataPath === undefined ? undefined : readData(dataPath);
  const problems = text === undefined ? [] : data.load(text);
  if (problems.length > 0) throw new CannotCheck(problems.map((one) => `${String(dataPath)}: ${one}`).join('\n'));
  if (text === undefined) storeExamples(resources, store, model, identifiers);
  if (dataPath !== undefined) file = openDataFile(dataPath, data.write);
  if (text === undefined) file?.noteChange();
  const roles = new Map(
    resources.flatMap((resource) =>
      rolesOf(resource.item).map(
        ([role, operation]) => [operation.operationId, { role, operation, resource }] as const,
      ),
    ),
  );
  const keys = new IdempotencyKeys(limit);
  const cursors: Cursors = new BoundedMap(MAX_CURSORS);
  return {
    handle,
    respondWithin,
    summary: describeMemory(found, operations),
    state: data.read,
    describe: data.describe,
    replaceState,
    reset,
    close: () => file?.close() ?? Promise.resolve(),
  };

  function handle(documented: Operation, respond: Respond): ReturnType<Memory['handle']> {
    const known = roles.get(documented.operationId);
    if (known === undefined) return undefined;
    const { role, resource, operation } = known;
    const fail = createFail(responses, documented, respond);
    const outer = resourcesIn(operation.path, resources).filter((one) => one !== resource);
    const failWithout = createFailWithout(operation, outer, fail);
    const scope: Scope = { resource, operation, documented, model, store, identifiers, cursors, respond, fail };
    return (request) => {
      const failure = failWithout(request);
      if (failure !== undefined) return failure;
      const reply = (): AnyReply => HANDLES[role](scope, request) ?? respond(request);
      return role === 'create' ? keys.handleOnce(scope, request, reply) : reply();
    };
  }

  function respondWithin(documented: Operation, respond: Respond): Respond {
    const operation = operations.find(({ operationId }) => operationId === documented.operationId);
    if (operation === undefined || roles.has(operation.operationId)) return respond;
    const outer = resourcesIn(operation.path, resources);
    if (outer.length === 0) return respond;
    const failWithout = createFailWithout(operation, outer, createFail(responses, documented, respond));
    return (request, change) => (change === undefined ? failWithout(request) : undefined) ?? respond(request, change);
  }

  /** Creates a function that fails where one of some resources in the path of a request does not exist. */
  function createFailWithout({ path }: ApiOperation, outer: readonly Resource[], fail: Fail) {
    return (request: Parameters<Respond>[0]): AnyReply | undefined => {
      const missing = findMissing(path, request, outer, store);
      return missing === undefined ? undefined : fail(request, 404, `${missing} does not exist`);
    };
  }

  function replaceState(state: MockState): void {
    const found = data.load(stringifyJson(state));
    if (found.length > 0) throw new Error(found.join('\n'));
    keys.clear();
    cursors.clear();
    identifiers.restart();
  }

  function reset(): void {
    replaceState({});
    storeExamples(resources, store, model, identifiers);
  }
}

/** Returns the text of a file; `undefined` when it does not exist. @throws {CannotCheck} when it cannot be read */
function readData(path: string): string | undefined {
  try {
    return readIfPresent(path);
  } catch (error) {
    throw new CannotCheck(`${path} cannot be read: ${(error as Error).message}`, { cause: error });
  }
}

const MAX_NAMES = 3;

/** Describes the resources that a mock remembers, the others, and the operations on none, in lines. */
function describeMemory(
  { resources, omitted }: ReturnType<typeof findResources>,
  operations: readonly ApiOperation[],
): readonly string[] {
  const rows = resources.map(({ item }) => {
    const { read, parameter, create, replace } = item;
    const nameOf = (role: Role): string => {
      if (role === 'remove') return 'delete';
      return role === 'replace' && create === replace ? 'create or replace' : role;
    };
    const roles = rolesOf(item).map(([role]) => nameOf(role));
    const isSilent = read !== undefined && parameter !== '' && failureKey(read, 404) === undefined;
    const note = isSilent ? '; reads of an unknown id are generated, as no 404 is documented' : '';
    return [item.path, roles.join(', ') + note] as const;
  });
  const remembered = new Set(resources.flatMap(({ item }) => rolesOf(item).map(([, operation]) => operation)));
  const generated = operations.filter((operation) => !remembered.has(operation)).map(({ operationId }) => operationId);
  const names = [...generated.slice(0, MAX_NAMES), ...(generated.length > MAX_NAMES ? ['…'] : [])].join(', ');
  const count = generated.length === 1 ? '1 operation' : `${String(generated.length)} operations`;
  return [
    ...table('Remembers', rows),
    ...table(
      'Does not remember',
      omitted.map(({ path, reason }) => [path, reason]),
    ),
    ...(generated.length > 0 ? [`Generates the responses of ${count}: ${names}`] : []),
  ];
}

function table(title: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([path]) => path.length));
  return rows.length === 0 ? [] : [`${title}:`, ...rows.map(([path, text]) => `  ${path.padEnd(width)}  ${text}`)];
}

/** Stores the valid examples of the resources whose collection is not nested. */
function storeExamples(resources: readonly Resource[], store: Store, model: Model, identifiers: Identifiers): void {
  for (const resource of resources) {
    const { item, idMembers } = resource;
    if (parameterNames(item.path).length !== 1 || item.parameter === '') continue;
    const schemas = model.idSchemasOf(resource);
    for (const example of examplesOf(resource, model)) {
      const id = identifiers.idIn(example, idMembers, schemas);
      const path = id === undefined ? undefined : storePath(item, [id]);
      if (path !== undefined && !store.has(path)) store.set(path, example);
    }
  }
}

function examplesOf(resource: Resource, model: Model): readonly JsonObject[] {
  const { list, read } = resource.item;
  const listed =
    list === undefined ? [] : wholeExamples(list, model.responses).flatMap((body) => itemsIn(body, list) ?? []);
  const place = read === undefined ? [] : model.placeIn(read, resource);
  const single = read === undefined ? [] : wholeExamples(read, model.responses).map((body) => partAt(body, place));
  return [...listed, ...single].filter(isObject);
}

/** Returns the valid examples of the JSON bodies of successful responses. */
function wholeExamples({ responses }: ApiOperation, { oracle }: Values): readonly Json[] {
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const contents = successes.flatMap(([, response]) =>
    response.contents.filter(({ mediaType }) => kindOf(mediaType) === 'json'),
  );
  return contents.flatMap(({ schema, examples }) =>
    examples(oracle, undefined).flatMap(({ value, isCombined }) =>
      isCombined || !oracle.allows(schema, value) ? [] : [value],
    ),
  );
}

/** A file that follows a text. */
type DataFile = {
  /** Notes that the text has changed, so that it is written soon. */
  readonly noteChange: () => void;
  /** Writes the last change. */
  readonly close: () => Promise<void>;
};

const DELAY_MS = 200;
const RETRY_MS = 1_000;
/** Creating the text, which holds up the requests, takes at most a tenth of the time. */
const PAUSE_FACTOR = 10;

/**
 * Keeps a text in a file. The file is replaced as a whole, so that it is complete whenever the process ends. A failure is
 * reported once, and the text is written again until that succeeds.
 */
export function openDataFile(path: string, textOf: () => string): DataFile {
  const target = existsSync(path) ? realpathSync(path) : path; // A symbolic link stays one.
  const temporary = `${target}.tmp`;
  let isStale = false;
  let delayMs = DELAY_MS;
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let failure: string | undefined;
  return { noteChange, close };

  function noteChange(): void {
    isStale = true;
    if (timer === undefined && writing === undefined)
      timer = setTimeout(start, failure === undefined ? delayMs : RETRY_MS);
  }

  function start(): void {
    timer = undefined;
    writing = write().then(() => {
      writing = undefined;
      if (isStale) noteChange();
    });
  }

  async function write(): Promise<void> {
    const startedAt = performance.now();
    isStale = false;
    try {
      const text = textOf();
      delayMs = Math.max(DELAY_MS, (performance.now() - startedAt) * PAUSE_FACTOR);
      await writeFile(temporary, text, { flush: true });
      await rename(temporary, target);
      if (failure !== undefined) printError(`${path} is written again`);
      failure = undefined;
    } catch (error) {
      isStale = true;
      const { message } = error as Error;
      if (failure !== message) printError(`${path} cannot be written; its changes are in memory only: ${message}`);
      failure = message;
      await rm(temporary, { force: true }).catch(() => undefined); // It may take up the space of a full disk.
    }
  }

  async function close(): Promise<void> {
    clearTimeout(timer);
    await writing;
    if (isStale) await write();
  }
}
