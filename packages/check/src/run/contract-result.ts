import { describeBug } from '@contract-first/command-line/terminal';
import { CannotCheck } from '@contract-first/model/values';
import type { OperationCoverage } from '../coverage/coverage.ts';
import { type CheckName, isSameFailure } from '../judgement/checks.ts';
import { type CheckFailure, hasCauseOf, nameOperations } from '../judgement/failures.ts';
import { NOT_IMPLEMENTED } from '../judgement/statuses.ts';
import type { OperationCheck, OperationResult, Unjudged } from './operation-result.ts';
import type { Run } from './run.ts';
import type { FinishedTask } from './schedule.ts';

export type ContractResult = {
  /** `undefined` for recorded requests. */
  readonly seed: number | undefined;
  /** The selected operations; in a recorded run, only the selected operations that have a request. */
  readonly operations: readonly string[];
  readonly requests: number;
  readonly failures: readonly CheckFailure[];
  /** The checks that applied to no request. */
  readonly unused: readonly CheckName[];
  /** The reason why the server cannot be judged; `undefined` if at least half of the operations were successful. */
  readonly unsuccessful: string | undefined;
  /** The operations that answered valid requests with 501. */
  readonly notImplemented: readonly string[];
  /** The operations that did not reach the minimum within the time limit. */
  readonly incomplete: readonly string[];
  /** Errors that ended the check of an operation early, such as a bug in the check itself. */
  readonly errors: readonly { readonly operationId: string; readonly message: string }[];
  /** Messages about undocumented rejections and skipped requests. */
  readonly notes: readonly string[];
  /** `undefined` if coverage is disabled. */
  readonly coverage: readonly OperationCoverage[] | undefined;
};

type Findings = Pick<
  ContractResult,
  'failures' | 'unsuccessful' | 'notImplemented' | 'incomplete' | 'errors' | 'notes'
> & {
  /** The checks that applied to at least one request. */
  readonly checked: ReadonlySet<CheckName>;
};

/**
 * Collects the findings of finished and interrupted tasks.
 *
 * @param unfollowed the resources that no sequence could follow
 * @param run has the schema violations caused by invalid data that the server accepted, which later requests may read
 */
export function gatherFindings(
  tasks: readonly FinishedTask<OperationCheck>[],
  unfollowed: readonly Unjudged[],
  run: Pick<Run, 'echoes' | 'faults'>,
): Findings {
  const results = tasks.map(({ task, isDone, error }) => {
    const [{ operationId }, hasMinimum] = [task.operation, task.hasMinimum()];
    return { operationId, hasMinimum, error, isInterrupted: !isDone && hasMinimum, ...task.result() };
  });
  const idsOf = (some: typeof results): readonly string[] => [...new Set(some.map(({ operationId }) => operationId))];
  const interrupted = idsOf(results.filter(({ isInterrupted }) => isInterrupted));
  const isUnprotected = checksNoCredentials(results);
  const successful = new Set(results.flatMap((result) => [...result.successful]));
  const ownNotes = results.flatMap(({ operationId, notes, failureNote }) =>
    [...notes, ...(failureNote === undefined || successful.has(operationId) ? [] : [failureNote])].map((note) => {
      return { operationId, note };
    }),
  );
  const sameNotes = Map.groupBy(ownNotes, ({ note }) => note);
  return {
    failures: firstOfEach(
      results.flatMap((result) =>
        result.failures.filter(
          (failure) =>
            !isEcho(failure, run) &&
            !isOfAllData(failure, result) &&
            !isOfOtherReason(failure, result.failures, isUnprotected),
        ),
      ),
    ),
    unsuccessful: describeUnsuccessful(
      successful.size,
      results.flatMap(({ operationId, failureNote, validStatuses }) =>
        failureNote === undefined || successful.has(operationId) ? [] : [validStatuses],
      ),
    ),
    notImplemented: idsOf(results.filter(({ isNotImplemented }) => isNotImplemented)),
    incomplete: idsOf(results.filter(({ hasMinimum }) => !hasMinimum)),
    errors: results.flatMap(({ operationId, error }) =>
      error === undefined ? [] : [{ operationId, message: describeError(error) }],
    ),
    notes: [
      ...(interrupted.length > 0 ? [`cut by --budget, with more than the minimum: ${interrupted.join(', ')}`] : []),
      ...describeUnjudged([...unfollowed, ...results.flatMap(({ unjudged }) => unjudged)]),
      ...[...sameNotes].map(
        ([note, group]) => `${nameOperations(group.map(({ operationId }) => operationId))}: ${note}`,
      ),
    ],
    checked: new Set(results.flatMap((result) => [...result.checked])),
  };
}

/** Describes each check that could not judge some resources in one line, with the reasons and their operations. */
function describeUnjudged(unjudged: readonly Unjudged[]): readonly string[] {
  const idsOf = (some: readonly Unjudged[]) => [...new Set(some.map(({ operationId }) => operationId))];
  return [...Map.groupBy(unjudged, ({ check }) => check)].map(([check, group]) => {
    const reasons = [...Map.groupBy(group, ({ reason }) => reason)].map(
      ([reason, some]) => `${reason} (${nameOperations(idsOf(some))})`,
    );
    const count = idsOf(group).length;
    const subject = check === 'state' ? 'sequences of requests were not checked' : `${check} was not judged`;
    return `${subject} for ${String(count)} resource${count === 1 ? '' : 's'}: ${reasons.join('; ')}`;
  });
}

/** The likely mistake, as a question, if all operations answer with the same status. */
const CAUSES: Readonly<Record<string, string>> = {
  401: 'are the credentials right?',
  403: 'do the credentials have permissions?',
  404: 'is the base path right?',
  405: 'is the base path right?',
};

/**
 * Describes why a server cannot be judged.
 *
 * @param successful the number of operations that answered a valid request successfully
 * @param others for each other operation, the statuses that valid requests got
 * @returns `undefined` if at least half of the operations were successful
 */
function describeUnsuccessful(successful: number, others: readonly ReadonlySet<number>[]): string | undefined {
  const all = successful + others.length;
  if (others.length <= successful) return undefined;
  const statuses = [...new Set(others.flatMap((each) => [...each]))].sort((one, other) => one - other);
  const [status = 0] = statuses;
  const cause = statuses.length > 1 ? undefined : status >= 500 ? 'is the server working?' : CAUSES[status];
  const hint = cause === undefined ? '' : `: ${cause}`;
  const answers = statuses.map(String).join(', ');
  return successful === 0
    ? `no operation was successful: ${all === 1 ? 'it answers' : `all ${String(all)} answer`} ${answers}${hint}`
    : `only ${String(successful)} of ${String(all)} operations were successful: the others answer ${answers}${hint}`;
}

function describeError(error: unknown): string {
  return error instanceof CannotCheck ? error.message : describeBug(error);
}

/** Returns whether a schema violation may come from invalid data that an earlier request stored. */
function isEcho({ check, cause, request }: CheckFailure, { echoes, faults }: Pick<Run, 'echoes' | 'faults'>): boolean {
  const mayRead = request.body === undefined || !faults.has(cause);
  return check === 'response_schema_conformance' && echoes.has(cause) && mayRead;
}

/** Returns whether valid data gets the same status, so that the failure does not depend on invalid data or credentials. */
function isOfAllData(
  failure: CheckFailure,
  { failures, validStatuses }: Pick<OperationResult, 'failures' | 'validStatuses'>,
): boolean {
  const { check, response: { status } = {} } = failure;
  if (status === undefined) return false;
  if (check === 'not_a_server_error') return status === NOT_IMPLEMENTED && validStatuses.has(status);
  if (check === 'ignored_auth')
    return status >= 400 && rejectsData(failure) && validStatuses.size === 1 && validStatuses.has(status);
  if (check !== 'negative_data_rejection' && check !== 'missing_required_header') return false;
  return failures.some((one) => one.check === 'positive_data_acceptance' && one.response?.status === status);
}

/** Returns whether all operations ignore credentials: they accept invalid ones, or reject them for other reasons. */
function checksNoCredentials(results: readonly Pick<OperationResult, 'checked' | 'failures'>[]): boolean {
  const judged = results.filter(({ checked }) => checked.has('ignored_auth'));
  const fails = judged.every(({ failures }) =>
    failures.some((failure) => acceptsCredentials(failure) || rejectsData(failure)),
  );
  return fails && judged.some(({ failures }) => failures.some(acceptsCredentials));
}

function acceptsCredentials({ check, response }: CheckFailure): boolean {
  return check === 'ignored_auth' && response !== undefined && response.status < 400;
}

/** Returns whether invalid credentials got a status that may be about the data. */
function rejectsData({ check, response }: CheckFailure): boolean {
  return check === 'ignored_auth' && response !== undefined && ![401, 403].includes(response.status);
}

/** Returns whether credentials that the operation ignores were rejected for another reason. */
function isOfOtherReason(failure: CheckFailure, failures: readonly CheckFailure[], isUnprotected: boolean): boolean {
  const isIgnored = isUnprotected || failures.some(acceptsCredentials);
  return isIgnored && rejectsData(failure) && !acceptsCredentials(failure);
}

/** Keeps the first failure of each cause, and removes failures that other failures of their operation explain. */
function firstOfEach(failures: readonly CheckFailure[]): readonly CheckFailure[] {
  const isExplained = (one: CheckFailure): boolean =>
    failures.some(
      (other) => other.operationId === one.operationId && !isAfterDeletion(other) && hasCauseOf(other, one),
    );
  return failures.filter(
    (one, index) => failures.findIndex((other) => isSameFailure(other, one)) === index && !isExplained(one),
  );
}

/** Returns whether a failure may depend on an earlier deletion. */
function isAfterDeletion({ earlier = [] }: CheckFailure): boolean {
  return earlier.some(({ request }) => request.method === 'DELETE');
}
