import { existsSync, realpathSync } from 'node:fs';
import { rename, rm, writeFile } from 'node:fs/promises';
import { readIfPresent } from '@contract-first/command-line/files';
import { printError } from '@contract-first/command-line/terminal';
import { describeSystemError, kindOf, type Operation, parameterNames, stringifyJson } from '@contract-first/contract';
import type { AnyReply, Once } from '@contract-first/engine/tools';
import type { ApiOperation } from '@contract-first/model/operations';
import { assertCorrections, type Corrections, itemsIn } from '@contract-first/model/resources';
import { CannotCheck, isObject, type Json, type JsonObject, partAt, type Values } from '@contract-first/model/values';
import type { Respond } from '../responses/respond.ts';
import { accountIn } from './requests/account.ts';
import { BoundedMap } from '../bounded-map.ts';
import { createData, type MockState } from './state/data.ts';
import { IdempotencyKeys } from './requests/idempotency-keys.ts';
import { createIdentifiers, type Identifiers } from './resources/identifiers.ts';
import { act, create, patch, read, remove, replace } from './requests/items.ts';
import { list } from './requests/list.ts';
import { createModel, type Model } from './resources/model.ts';
import { createReflect } from './requests/reflect.ts';
import type { Cursors } from './resources/page.ts';
import { findMissing, resourcesIn, storePath } from './state/paths.ts';
import { createFail, type Fail, failureKey, type MockRequest, type RespondToMock } from './reply.ts';
import { findResources, type Resource, type Role, rolesOf } from './resources/resources.ts';
import type { Handle, OperationContext } from './requests/operation-context.ts';
import { ResourceStore } from './state/store.ts';

const MAX_CURSORS = 1_000;
/** The time of the first change, after all generated times. Each change is a minute later. */
const FIRST_CHANGE = Date.UTC(2026, 2, 1, 9);
const MINUTE_MS = 60_000;
const HANDLES: Readonly<Record<Role, Handle>> = { create, list, read, replace, patch, remove };

/** The memory of a mock. */
export type Memory = {
  /** Returns the handler of an operation; `undefined` if the operation has no known resource. */
  readonly handle: (operation: Operation, respond: Respond) => ((request: MockRequest) => AnyReply) | undefined;
  /**
   * Wraps the response function of an operation without a role for a resource: it fails if a parent resource does not
   * exist, applies an action to its resource, changes the single resource that its response has, and else responds with
   * the values of the request.
   */
  readonly respondWithin: (operation: Operation, respond: Respond) => RespondToMock;
  /** Handles a request once for each `Idempotency-Key`. */
  readonly once: Once;
  /** Lines about the stored resources and the other operations. */
  readonly summary: readonly string[];
  /** Returns a copy of the resources. */
  readonly state: () => MockState;
  /** Returns the resources for the docs page. */
  readonly describe: () => Readonly<Record<string, string>>;
  /** Replaces all resources. @throws an error with all problems of the state, one per line */
  readonly replaceState: (state: MockState) => void;
  /** Replaces all resources with the examples of the document. */
  readonly reset: () => void;
  /** Returns the parts that the memory of a changed document continues with. */
  readonly snapshot: () => Snapshot;
  /** Writes pending changes to the file. */
  readonly close: () => Promise<void>;
};

/** The resources of a memory, without examples that were not used yet. */
type Snapshot = {
  readonly state: MockState;
  /** The paths of the resources whose examples are stored. */
  readonly used: ReadonlySet<string>;
  readonly changes: number;
};

/** The operations of a document and its values, by direction. */
export type DocumentValues = {
  readonly operations: readonly ApiOperation[];
  readonly requests: Values;
  readonly responses: Values;
};

/** The options of a memory. */
export type MemoryOptions = {
  /** Determines the generated values. */
  readonly seed: number;
  /** The maximum number of resources. */
  readonly limit: number;
  readonly corrections: Corrections;
  /** The path of the data file; without it, resources are stored only in memory. */
  readonly dataPath?: string | undefined;
  /** The memory of the same mock before its document changed. Resources that the new document allows are kept. */
  readonly previous?: Snapshot | undefined;
};

/**
 * Creates the memory of a mock, with the resources of the data file or else the examples of the document.
 *
 * @throws {CannotCheck} with all problems in the corrections or the data file
 */
export function createMemory(
  { operations, requests, responses }: DocumentValues,
  { seed, limit, corrections, dataPath, previous }: MemoryOptions,
): Memory {
  const schemas = { requestSchemas: requests.schemas, responseSchemas: responses.schemas };
  assertCorrections(operations, corrections, schemas);
  const found = findResources(operations, schemas, corrections);
  const { resources, unstored } = found;
  const model = createModel(requests, responses);
  const identifiers = createIdentifiers(requests, responses, seed);
  let file: DataFile | undefined;
  let changes = previous?.changes ?? 0;
  const store = new ResourceStore(limit, () => file?.noteChange());
  const data = createData(resources, store, { model, identifiers, limit });
  const text = dataPath === undefined || previous !== undefined ? undefined : readData(dataPath);
  const problems = text === undefined ? [] : data.load(text);
  if (problems.length > 0) throw new CannotCheck(problems.map((one) => `${String(dataPath)}: ${one}`).join('\n'));
  // The resources whose examples are not stored yet. Examples need compiled schemas, so they wait for the first use.
  const pending = new Set(text === undefined ? resources : []);
  if (previous !== undefined) {
    for (const resource of resources) if (previous.used.has(resource.item.path)) pending.delete(resource);
    data.load(stringifyJson(data.allowed(previous.state)));
  }
  const writeData = (): string => withExamples(data.write);
  if (dataPath !== undefined) file = openDataFile(dataPath, writeData);
  if (text === undefined) file?.noteChange();
  const roles = new Map(
    resources.flatMap((resource) =>
      rolesOf(resource.item).map(
        ([role, operation]) => [operation.operationId, { role, operation, resource }] as const,
      ),
    ),
  );
  const singles = resources.filter(({ item }) => item.parameter === '' && parameterNames(item.path).length === 0);
  const keys = new IdempotencyKeys(limit);
  const cursors: Cursors = new BoundedMap(MAX_CURSORS);
  return {
    handle,
    respondWithin,
    once: keys.once,
    summary: describeMemory(found, operations),
    state: () => withExamples(data.read),
    describe: () => withExamples(data.describe),
    replaceState,
    reset,
    snapshot: () => ({
      state: data.read(),
      used: new Set(resources.filter((one) => !pending.has(one)).map(({ item }) => item.path)),
      changes,
    }),
    close: () => file?.close() ?? Promise.resolve(),
  };

  function handle(documented: Operation, respond: Respond): ReturnType<Memory['handle']> {
    const known = roles.get(documented.operationId);
    if (known === undefined) return undefined;
    const { role, resource, operation } = known;
    const scope = contextOf(resource, operation, documented, respond);
    const outer = resourcesIn(operation.path, resources).filter((one) => one !== resource);
    const failWithout = createFailWithout(operation, outer, scope.fail);
    const reflect = createReflect(operation, resource.item, scope, respond);
    const related = resources.filter((one) => [one, one.members].includes(resource) || one === resource.members);
    return (request) => {
      storeExamplesOf(related);
      return failWithout(request) ?? HANDLES[role](scope, request) ?? reflect(request);
    };
  }

  function respondWithin(documented: Operation, respond: Respond): RespondToMock {
    const operation = operations.find(({ operationId }) => operationId === documented.operationId);
    if (operation === undefined || roles.has(operation.operationId)) return respond;
    const outer = resourcesIn(operation.path, resources);
    const acted = outer.find(({ item }) => parameterNames(item.path).length === parameterNames(operation.path).length);
    // Such as POST /login, which returns the resource of GET /user.
    const single = singles.find((one) => operation.method === 'POST' && model.isReadAs(operation, one));
    const signIn = single && contextOf(single, operation, documented, respond);
    const item = acted?.item ?? unstored.find((one) => rolesOf(one).some(([, own]) => own === operation));
    const reflect = createReflect(operation, item, { model, cursors, account }, respond);
    const action = acted && contextOf(acted, operation, documented, respond);
    const failWithout = createFailWithout(operation, outer, createFail(responses, documented, respond));
    return (request, change) => {
      if (change !== undefined) return respond(request, change);
      const failure = failWithout(request);
      if (failure !== undefined) return failure;
      const made = operation.method !== 'GET' && action ? act(action, request) : signIn && patch(signIn, request);
      return made ?? reflect(request);
    };
  }

  function contextOf(
    resource: Resource,
    operation: ApiOperation,
    documented: Operation,
    respond: Respond,
  ): OperationContext {
    const fail = createFail(responses, documented, respond);
    return { resource, operation, documented, model, store, identifiers, cursors, account, now, respond, fail };
  }

  /** Creates a function that responds 404 if a parent resource in the path does not exist. */
  function createFailWithout({ path }: ApiOperation, outer: readonly Resource[], fail: Fail) {
    return (request: Parameters<Respond>[0]): AnyReply | undefined => {
      storeExamplesOf(outer);
      const missing = findMissing(path, request, outer, store);
      return missing === undefined ? undefined : fail(request, 404, `${missing} does not exist`);
    };
  }

  function replaceState(state: MockState): void {
    const found = data.load(stringifyJson(state));
    if (found.length > 0) throw new Error(found.join('\n'));
    pending.clear();
    keys.clear();
    cursors.clear();
    identifiers.restart();
    changes = 0;
  }

  function account(): JsonObject | undefined {
    const states = singles.map((one) => store.get(storePath(one.item, [])) ?? model.sampleOf(one));
    return states
      .filter(isObject)
      .map(accountIn)
      .find((one) => one !== undefined);
  }

  function now(): number {
    changes += 1;
    return FIRST_CHANGE + (changes - 1) * MINUTE_MS;
  }

  function reset(): void {
    replaceState({});
    for (const resource of resources) pending.add(resource);
  }

  function withExamples<Result>(create: () => Result): Result {
    storeExamplesOf(resources);
    return create();
  }

  function storeExamplesOf(some: readonly Resource[]): void {
    for (const resource of some) if (pending.delete(resource)) storeExamples(resource, store, model, identifiers);
  }
}

/** Returns the text of a file; `undefined` if it does not exist. @throws {CannotCheck} if it cannot be read */
function readData(path: string): string | undefined {
  try {
    return readIfPresent(path);
  } catch (error) {
    throw new CannotCheck(`${path} cannot be read: ${describeSystemError(error)}`, { cause: error });
  }
}

const MAX_NAMES = 3;

/** Describes in lines the stored resources, the omitted resources, and the operations without resources. */
function describeMemory(
  { resources, omitted }: ReturnType<typeof findResources>,
  operations: readonly ApiOperation[],
): readonly string[] {
  const rows = resources.map(({ item, alwaysExists }) => {
    const { read, parameter, create, replace } = item;
    const nameOf = (role: Role): string => {
      if (role === 'remove') return 'delete';
      return role === 'replace' && create === replace ? 'create or replace' : role;
    };
    const roles = rolesOf(item).map(([role]) => nameOf(role));
    const isSilent = read !== undefined && parameter !== '' && failureKey(read, 404) === undefined;
    const note = isSilent ? '; reads of an unknown id are generated, as no 404 is documented' : '';
    const known = alwaysExists === true ? '; generated until it is changed, as nothing creates it' : note;
    return [item.path, roles.join(', ') + known] as const;
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

/** Stores the valid examples of a resource in a top-level collection. */
function storeExamples(resource: Resource, store: ResourceStore, model: Model, identifiers: Identifiers): void {
  const { item, idMembers, members } = resource;
  const count = parameterNames(item.path).length;
  if (members !== undefined && count === 0) {
    for (const example of examplesOf(resource, model))
      for (const [id, member] of Object.entries(example)) {
        const path = storePath(members.item, [id]);
        if (!store.has(path)) store.set(path, member);
      }
  }
  if (count !== 1 || item.parameter === '') return;
  for (const example of examplesOf(resource, model)) {
    const id = identifiers.idIn(example, idMembers, model.idSchemasOf(resource));
    const path = id === undefined ? undefined : storePath(item, [id]);
    if (path !== undefined && !store.has(path)) store.set(path, example);
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

/** A file that is kept in sync with a text. */
type DataFile = {
  /** Schedules a write after a change of the text. */
  readonly noteChange: () => void;
  /** Writes pending changes. */
  readonly close: () => Promise<void>;
};

const DELAY_MS = 200;
const RETRY_MS = 1_000;
/** Limits the time for creating the text, which blocks requests, to a tenth. */
const PAUSE_FACTOR = 10;

/**
 * Keeps a file in sync with a text. Replaces the file atomically, so that it is always complete. Reports a failure
 * once, and retries until a write succeeds.
 */
export function openDataFile(path: string, textOf: () => string): DataFile {
  const target = existsSync(path) ? realpathSync(path) : path; // Keeps symbolic links.
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
      await rm(temporary, { force: true }).catch(() => undefined); // Releases space on a full disk.
    }
  }

  async function close(): Promise<void> {
    clearTimeout(timer);
    await writing;
    if (isStale) await write();
  }
}
