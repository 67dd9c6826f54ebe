import { parameterNames, stringifyJson } from '@contract-first/contract';
import type { ApiOperation } from '@contract-first/model/operations';
import { exampleCases } from '@contract-first/model/cases';
import { type Json, partAt, placesOf } from '@contract-first/model/values';
import { pathValue, type RequestInput, withMember } from '@contract-first/model/requests';
import {
  identifyingMembers,
  innermostItem,
  itemIds,
  type ItemPath,
  itemsIn,
  shapeOf,
} from '@contract-first/model/resources';
import type { Run } from '../run/run.ts';
import { differenceBetween, normalizedText } from './compare-written.ts';
import { identitiesIn, type ResourceIdentity } from './identity.ts';
import { createFindReferences, withReferences, type FindReferences } from './references.ts';
import type { Send, SequenceStep } from './sequence-step.ts';
import { isCarriedOut, isSuccess, MISSING } from '../judgement/statuses.ts';
import { withPathValues, type PlainInputs } from './step-input.ts';

/** A resource on the server. */
export type Instance = {
  /** The path parameter values, in path order. */
  readonly values: readonly Json[];
  /** The creation; `undefined` for a resource found in a list. */
  readonly creation: SequenceStep | undefined;
  /** Further identities in the response to the creation. */
  readonly others: readonly ResourceIdentity[];
};

/** The reason why there is no resource. */
export type Absence = { readonly reason: string };

/** Creates and finds resources on the server. */
export type Instances = {
  /**
   * Creates a resource, after its parent resources.
   *
   * @param variant selects the generated values
   * @param parent the path parameter values of the parent, if known
   * @param adapt changes the input of the first attempt
   */
  readonly create: (
    item: ItemPath,
    send: Send,
    variant: number,
    parent?: readonly Json[],
    adapt?: (input: RequestInput) => RequestInput,
  ) => Promise<Instance | Absence>;
  /** Creates the parent resources of a creation. Returns their path parameter values. */
  readonly createParent: (item: ItemPath, send: Send, variant: number) => Promise<readonly Json[] | Absence>;
  /** Creates or finds a resource for the first parameters of an operation's path. */
  readonly obtain: (operation: ApiOperation, send: Send, variant: number) => Promise<Instance | Absence>;
  /**
   * Returns the creation of a resource. Returns `undefined` if there is none, or if a later creation with the same id
   * may have replaced the resource.
   */
  readonly creationOf: (item: ItemPath, instance: Instance) => SequenceStep | undefined;
  readonly references: FindReferences;
  /** Returns the resources that a response identifies. */
  readonly identities: (step: SequenceStep, item: ItemPath) => readonly ResourceIdentity[];
};

const MAX_PLACES = 200;
const ATTEMPTS = 3;
const VARIANTS_PER_RESOURCE = 10;

/** @param operations the operations that the run may call */
export function createInstances(
  items: readonly ItemPath[],
  operations: readonly ApiOperation[],
  run: Run,
  plainInputs: PlainInputs,
): Instances {
  const identities = (step: SequenceStep, item: ItemPath): readonly ResourceIdentity[] =>
    identitiesIn(step, item, run, operations);
  const references = createFindReferences(items, run, async (item, send, variant, parent) => {
    const found = await createOrList(item, send, variant, parent);
    return 'values' in found ? found.values.at(-1) : undefined;
  });
  const proven = new Set<ItemPath>(); // The resources with an undeclared id that were read.
  return { create, createParent, obtain, creationOf, references, identities };

  async function createParent(item: ItemPath, send: Send, variant: number): Promise<readonly Json[] | Absence> {
    return item.create === undefined ? withoutSource(item) : parentValues(item.create, item, send, variant);
  }

  async function create(
    ...[item, send, variant, parent, adapt = (input) => input]: Parameters<Instances['create']>
  ): Promise<Instance | Absence> {
    const { create: operation } = item;
    if (operation === undefined) return withoutSource(item);
    const needed = parameterNames(operation.path).length - (operation === item.replace ? 1 : 0);
    const values = parent?.length === needed ? parent : await parentValues(operation, item, send, variant);
    if ('reason' in values) return values;
    const named = await references(operation, values, send, variant);
    const statuses = new Set<number>();
    for (const input of inputsFor(operation, variant, adapt)) {
      const whole = withReferences(operation, withPathValues(operation, input, values), named, run);
      const step = await send(operation, withOwnId(item, whole));
      if (step === undefined) continue;
      const { status } = step.response;
      statuses.add(status);
      if (!isCarriedOut(status)) continue;
      const [identity, ...others] = identities(step, item);
      if (identity !== undefined && (await isCertain(identity, step, item, send, variant))) {
        const { values } = identity;
        const key = keyOf(item, values);
        if (!run.created.has(key) || mayReplace(step, values)) run.created.set(key, step.request);
        return { values, creation: step, others };
      }
      return { reason: `the response of ${operation.operationId} has no valid value for {${item.parameter}}` };
    }
    if (statuses.size === 0) return { reason: `no valid request for ${operation.operationId} could be generated` };
    // Without a documented 201, a PUT may only replace resources.
    const isReplacement = operation === item.replace && operation.responses[201] === undefined;
    if (isReplacement && [...statuses].every((status) => MISSING.includes(status))) return withoutSource(item);
    return { reason: `the creation was refused with ${[...statuses].join(' and ')}` };
  }

  function creationOf(item: ItemPath, { values, creation }: Instance): SequenceStep | undefined {
    return run.created.get(keyOf(item, values)) === creation?.request ? creation : undefined;
  }

  /**
   * Returns whether an identity is declared, or a read has shown that the undeclared member is the id, and not the id of
   * another resource.
   */
  async function isCertain(
    { values, isUndeclared = false }: ResourceIdentity,
    creation: SequenceStep,
    item: ItemPath,
    send: Send,
    variant: number,
  ): Promise<boolean> {
    if (!isUndeclared || proven.has(item)) return true;
    const { read } = item;
    const [input] = read === undefined ? [] : plainInputs(read, variant);
    if (read === undefined || input === undefined) return false;
    const step = await send(read, withPathValues(read, input, values));
    if (step === undefined || !isSuccess(step.response.status)) return false;
    const idMembers = identifyingMembers(item, operations);
    if (differenceBetween(creation, step, { idMembers, run }) !== undefined) return false;
    proven.add(item);
    return true;
  }

  /**
   * Yields valid inputs, to be tried until one is accepted: an adapted input, generated inputs, and the document's
   * examples, which may contain ids of existing resources.
   */
  function* inputsFor(
    operation: ApiOperation,
    variant: number,
    adapt: (input: RequestInput) => RequestInput,
  ): Generator<RequestInput> {
    const generated = (attempt: number) => plainInputs(operation, variant * VARIANTS_PER_RESOURCE + attempt);
    const [first] = generated(0);
    if (first !== undefined && adapt(first) !== first) yield adapt(first);
    for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) yield* generated(attempt);
    for (const { kind, input } of exampleCases(operation, run.requestOracle, [...generated(0)], run.tokens))
      if (kind === 'positive' && input !== undefined) yield input;
  }

  /** If a PUT creates the resource, copies the id from the path into the body. */
  function withOwnId(item: ItemPath, input: RequestInput): RequestInput {
    const value = pathValue(input, item.parameter);
    if (item.create !== item.replace || value === undefined) return input;
    return identifyingMembers(item, operations).reduce((other, name) => withMember(other, name, value), input);
  }

  async function obtain(operation: ApiOperation, send: Send, variant: number): Promise<Instance | Absence> {
    const isSource = ({ create: creator, list }: ItemPath): boolean =>
      (creator !== undefined && creator !== operation) || list !== undefined;
    const item = innermostItem(items, operation.path, isSource);
    if (item === undefined) return { reason: describeUnknown(parameterNames(operation.path)[0] ?? '') };
    return createOrList(item, send, variant);
  }

  async function createOrList(
    item: ItemPath,
    send: Send,
    variant: number,
    parent?: readonly Json[],
  ): Promise<Instance | Absence> {
    const created = await create(item, send, variant, parent);
    if ('values' in created) return created;
    return (item.list && (await firstListed(item, item.list, send, variant, parent))) ?? created;
  }

  /** Returns the values of the path parameters of a creation. */
  async function parentValues(
    operation: ApiOperation,
    item: ItemPath,
    send: Send,
    variant: number,
  ): Promise<readonly Json[] | Absence> {
    const names = parameterNames(operation.path).slice(0, operation === item.replace ? -1 : undefined);
    const given = names.flatMap((name) => run.givenValues(operation, variant).get(name) ?? []);
    if (given.length === names.length) {
      for (const name of names) run.onGivenValue(operation, name);
      return given; // Includes paths without parameters.
    }
    const needed = names.length;
    const parent = innermostItem(items, operation.path, (other) => parameterNames(other.path).length <= needed);
    if (parent === undefined) return [];
    const found = await createOrList(parent, send, variant);
    return 'values' in found ? found.values : found;
  }

  /** Returns the first resource of a list. */
  async function firstListed(
    item: ItemPath,
    list: ApiOperation,
    send: Send,
    variant: number,
    parent?: readonly Json[],
  ): Promise<Instance | undefined> {
    const [input] = plainInputs(list, variant);
    const isOutermost = parameterNames(list.path).length === 0;
    const outer = isOutermost ? [] : (parent ?? (await parentValues(list, item, send, variant)));
    if (input === undefined || 'reason' in outer) return undefined;
    const step = await send(list, withPathValues(list, input, outer));
    if (step?.json === undefined || !isSuccess(step.response.status)) return undefined;
    const names = identifyingMembers(item, operations);
    const [id] = itemIds(itemsIn(step.json, list) ?? [], names);
    return id === undefined ? undefined : { values: [...outer, id], creation: undefined, others: [] };
  }
}

/** Returns a key that is the same for ids that servers may store alike. */
function keyOf({ path }: ItemPath, values: readonly Json[]): string {
  return stringifyJson([shapeOf(path), ...values.map((value) => normalizedText(value))]);
}

/** Returns whether a creation may have replaced a resource with the same id: the server did not choose a new id. */
function mayReplace({ operation, response, testCase }: SequenceStep, values: readonly Json[]): boolean {
  const sent = testCase.input?.body?.value ?? null;
  const id = normalizedText(values.at(-1) ?? null);
  if (operation.method === 'PUT' || response.status !== 201) return true;
  return placesOf(sent, MAX_PLACES).some((place) => normalizedText(partAt(sent, place)) === id);
}

function withoutSource({ parameter }: ItemPath): Absence {
  return { reason: describeUnknown(parameter) };
}

/** Describes why no resource is known for a path parameter. */
export function describeUnknown(parameter: string): string {
  return `no checked operation gives an id for ${parameter}: set an id with --value ${parameter}=…`;
}
