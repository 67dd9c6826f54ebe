import { parameterNames } from '@contract-first/contract';
import type { ApiOperation } from '@contract-first/model/operations';
import { classify } from '@contract-first/model/cases';
import { percentEncode, type RequestInput, type Tokens } from '@contract-first/model/requests';
import type { Json } from '@contract-first/model/values';
import { idText, targetsOperation } from '@contract-first/model/resources';
import { exchange, ServerGone } from '../run/exchange.ts';
import type { Run } from '../run/run.ts';
import type { Turn } from '../run/schedule.ts';
import { linkedBody } from './identity.ts';
import { createInstances } from './instances.ts';
import { findFollowedPaths } from './followed-paths.ts';
import { withReferences } from './references.ts';
import { requestOf, stepOf, type Send } from './sequence-step.ts';
import { createPlainInputs, withPathValues } from './step-input.ts';

/** Values from existing resources for the requests of an operation. */
export type Known = {
  /** Inserts the ids of existing resources into a request; `undefined` if there are none. */
  readonly adapt: ((input: RequestInput) => RequestInput) | undefined;
  /** The request body from a link in the response to a creation. */
  readonly linkedBody: Json | undefined;
  /** The reason why there is no resource at the path. */
  readonly reason: string | undefined;
  /** Returns whether the run has since deleted the resource. */
  readonly isGone: () => boolean;
};

/** Creates or finds the resources for an operation. Each attempt uses different resources. */
export type KnownValues = (operation: ApiOperation, turn: Turn, attempt?: number) => Promise<Known>;

// Avoids the variants that sequences and other operations use.
const FIRST_VARIANT = 1_000;

/** @param operations the operations that the run may call */
export function createKnownValues(operations: readonly ApiOperation[], run: Run): KnownValues {
  const { items } = findFollowedPaths(operations, run);
  const plainInputs = createPlainInputs(run);
  return async (operation, turn, attempt = 0) => {
    // Each operation has its own resources, independent of other operations.
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

/** Returns the path of a request target without a trailing slash. */
export function resourcePath(target: string): string {
  return (target.split('?')[0] ?? '').replace(/\/$/, '');
}

/** Returns whether the resource of the first path parameters, or an outer resource, was deleted. */
function isDeleted(path: string, values: readonly Json[], deleted: ReadonlySet<string>): boolean {
  const [start = '', ...parts] = path.split(/\{[^}]+\}/);
  const filled = values.map((value, index) => percentEncode(idText(value)) + (parts[index] ?? ''));
  const whole = start + filled.join('');
  const end = whole.length - (parts[values.length - 1] ?? '').length;
  const segments = whole.slice(0, end).split('/');
  return segments.some((_, index) => deleted.has(segments.slice(0, index + 1).join('/')));
}

/** Returns whether a response has a link with a request body to the target operation. */
function linksBody({ responses }: ApiOperation, target: ApiOperation): boolean {
  const links = Object.values(responses).flatMap((response) => response.links);
  return links.some((link) => link.requestBody !== undefined && targetsOperation(target, link));
}

/** Replaces the first path parameters of a request, if this does not change whether the request is valid. */
function withKnownPath(
  operation: ApiOperation,
  input: RequestInput,
  values: readonly Json[],
  { requestOracle }: Run,
): RequestInput {
  const other = withPathValues(operation, input, values);
  return classify(operation, requestOracle, other) === classify(operation, requestOracle, input) ? other : input;
}

/** Creates {@link Send} without checks, since the task of each operation checks its responses. */
export function sendQuietly(run: Run, turn: Turn, otherTokens?: Tokens): Send {
  return async (operation, input, headers = []) => {
    const testCase = requestOf(operation, input, headers, run, otherTokens);
    if (testCase === undefined) return undefined;
    const outcome = await exchange(operation, testCase, run, turn);
    // The task of another operation goes on after this operation's waits.
    if (outcome.stopped instanceof ServerGone) throw outcome.stopped;
    return stepOf(operation, testCase, outcome);
  };
}
