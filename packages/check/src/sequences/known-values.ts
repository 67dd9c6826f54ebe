import { parameterNames } from '@contract-first/contract';
import type { ApiOperation } from '@contract-first/model/operations';
import { classify } from '@contract-first/model/cases';
import { percentEncode, type RequestInput, type Tokens } from '@contract-first/model/requests';
import type { Json } from '@contract-first/model/values';
import { idText, isTarget } from '@contract-first/model/resources';
import { exchange } from '../run/exchange.ts';
import type { Run } from '../run/run.ts';
import type { Turn } from '../run/schedule.ts';
import { linkedBody } from './identity.ts';
import { createInstances } from './instances.ts';
import { findFollowedPaths } from './followed-paths.ts';
import { withReferences } from './references.ts';
import { requestOf, stepOf, type Send } from './send.ts';
import { createPlainInputs, withPathValues } from './step-input.ts';

/** Values from existing resources for the requests of an operation. */
export type Known = {
  /** Copies a request with the ids of existing resources; `undefined` if there are none. */
  readonly adapt: ((input: RequestInput) => RequestInput) | undefined;
  /** The body that the creation of a resource links the operation to. */
  readonly linkedBody: Json | undefined;
  /** Why no resource was found for the path. */
  readonly reason: string | undefined;
  /** Returns whether the run has deleted the resource of the path since. */
  readonly isGone: () => boolean;
};

/** Creates or finds the resources that an operation is about: others for another attempt. */
export type KnownValues = (operation: ApiOperation, turn: Turn, attempt?: number) => Promise<Known>;

// The values differ from those of the sequences, and from one operation to another.
const FIRST_VARIANT = 1_000;

/** @param operations those that may be used */
export function createKnownValues(operations: readonly ApiOperation[], run: Run): KnownValues {
  const { items } = findFollowedPaths(operations, run);
  const plainInputs = createPlainInputs(run);
  return async (operation, turn, attempt = 0) => {
    // The resources of one operation do not depend on those of others.
    const instances = createInstances(items, operations, run, plainInputs);
    const send = sendQuietly(run, turn);
    const variant = FIRST_VARIANT + operations.indexOf(operation) + attempt * operations.length;
    const count = parameterNames(operation.path).length;
    const linking = items.find(
      ({ create }) => create !== undefined && create !== operation && linksBody(create, operation),
    );
    const source =
      count > 0
        ? await instances.obtain(operation, send, variant)
        : linking && (await instances.create(linking, send, variant));
    const found = source === undefined || 'reason' in source ? undefined : source;
    const values = found?.values.slice(0, count) ?? [];
    const references = await instances.references(operation, values, send, variant);
    const adapt = (input: RequestInput): RequestInput =>
      withReferences(operation, withKnownPath(operation, input, values, run), references, run);
    return {
      adapt: values.length > 0 || references.size > 0 ? adapt : undefined,
      linkedBody: found?.creation && linkedBody(found.creation, operation),
      reason: count > 0 && source !== undefined && 'reason' in source ? source.reason : undefined,
      isGone: () => values.length > 0 && isDeleted(operation.path, values, run.deleted),
    };
  };
}

/** Returns the path of a target, without a slash at its end. */
export function resourcePath(target: string): string {
  return (target.split('?')[0] ?? '').replace(/\/$/, '');
}

/** Returns whether the resource that the first parameters of a path name, or one that contains it, is deleted. */
function isDeleted(path: string, values: readonly Json[], deleted: ReadonlySet<string>): boolean {
  const [start = '', ...parts] = path.split(/\{[^}]+\}/);
  const filled = values.map((value, index) => percentEncode(idText(value)) + (parts[index] ?? ''));
  const whole = start + filled.join('');
  const end = whole.length - (parts[values.length - 1] ?? '').length;
  const segments = whole.slice(0, end).split('/');
  return segments.some((_, index) => deleted.has(segments.slice(0, index + 1).join('/')));
}

/** Returns whether a response of an operation links another one to a body. */
function linksBody({ responses }: ApiOperation, target: ApiOperation): boolean {
  const links = Object.values(responses).flatMap((response) => response.links);
  return links.some((link) => link.requestBody !== undefined && isTarget(target, link));
}

/** Copies a request with the values of the first parameters of its path, if it is as valid as before. */
function withKnownPath(
  operation: ApiOperation,
  input: RequestInput,
  values: readonly Json[],
  { requestOracle }: Run,
): RequestInput {
  const other = withPathValues(operation, input, values);
  return classify(operation, requestOracle, other) === classify(operation, requestOracle, input) ? other : input;
}

/** Sends without judging: the requests of an operation are judged by its own task. */
export function sendQuietly(run: Run, turn: Turn, otherTokens?: Tokens): Send {
  return async (operation, input, headers = []) => {
    const testCase = requestOf(operation, input, headers, run, otherTokens);
    if (testCase === undefined) return undefined;
    const outcome = await exchange(operation, testCase, run, turn);
    if (outcome.gone !== undefined) throw outcome.gone;
    return stepOf(operation, testCase, outcome);
  };
}
