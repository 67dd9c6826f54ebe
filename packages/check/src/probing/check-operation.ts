import type { ApiOperation } from '@contract-first/model/operations';
import { type BodyChoice, type Case, type CaseKind, caseOf, systematicCases } from '@contract-first/model/cases';
import type { RequestInput } from '@contract-first/model/requests';
import { type NoValue, TooLarge, TooSlow } from '@contract-first/model/values';
import { describesSuccess, isByUnknownRule } from '../judgement/behaviour.ts';
import { checksFor, isStateCheck } from '../judgement/checks.ts';
import { NOT_IMPLEMENTED } from '../judgement/statuses.ts';
import { Stopped } from '../run/exchange.ts';
import { createProber } from './prober.ts';
import type { Run } from '../run/run.ts';
import { describeBody, searchesOf } from './search.ts';
import type { Known, KnownValues } from '../sequences/known-values.ts';
import type { OperationCheck, OperationResult } from '../run/operation-result.ts';
import type { Turn } from '../run/schedule.ts';

/** The minimum of an operation: all systematic requests, and this part of the generated requests of each kind. */
const MINIMUM = 1 / 10;
const NEED_CREDENTIALS = [401, 403];
const NO_SECURITY =
  "the document has no security here, so no token was sent: --header 'Authorization: Bearer ${CONTRACT_TOKEN}' sends one";
const UNKNOWN_USER = 'does the request have credentials? sign-in in .contract.yaml signs in a user';
const AND = new Intl.ListFormat('en-GB');

/**
 * Creates the check of one operation. It sends systematic requests first, then generated valid and invalid requests.
 * The requests depend on the seed and the responses, not on time.
 *
 * @param knownValues returns the ids of existing resources
 */
export function checkOperation(
  operation: ApiOperation,
  run: Run,
  turn: Turn,
  knownValues: KnownValues,
): OperationCheck {
  const { requestOracle, tokens, seed, runs } = run;
  const prober = createProber(operation, run, turn);
  const notes: string[] = [];
  let known: Known | undefined;
  let attempts = 0;
  let hasMinimum = false;
  return { operation, run: checkAll, hasMinimum: () => hasMinimum, result };

  async function checkAll(): Promise<void> {
    if ([...run.checks].every(isStateCheck)) {
      hasMinimum = true; // Only sequences are judged, so no other requests are needed.
      return;
    }
    try {
      await turn();
      const factory = run.inputsOf(operation);
      known = await knownValues(operation, turn);
      const missing = new Map<BodyChoice, NoValue>();
      const plain = factory.plainInputs(seed, (choice, failure) => missing.set(choice, failure));
      notes.push(...factory.unsupported.map((subject) => `not tried, as they cannot be generated: ${subject}`));
      for (const [choice, failure] of missing) {
        const isKnown = failure instanceof TooLarge || failure instanceof TooSlow;
        const reason = isKnown ? ` (${failure.message})` : '';
        notes.push(`no valid request ${describeBody(choice)} could be generated${reason}`);
      }
      notes.push(...run.exampleFaults(operation));
      const { adapt = (input: RequestInput) => input } = known;
      const adapted = [...plain.values()].flat().map(adapt);
      const probeAll = async (cases: Iterable<Case>): Promise<void> => {
        for (const testCase of cases) {
          if (!isJudged(testCase.kind)) continue;
          await prober.probe(testCase);
          await prober.simplify();
        }
      };
      await probeAll(linkedCases(adapted, known));
      await probeAll(systematicCases(operation, adapted, run));
      const onMissing = (subject: string, failure: NoValue): void => {
        const reason = failure instanceof TooLarge ? failure.message : 'too rare to be generated';
        notes.push(`${subject} are ${reason}; some were not tried`);
      };
      const context = { operation, run, prober, refresh, onMissing };
      const adaptNow = (input: RequestInput): RequestInput => known?.adapt?.(input) ?? input;
      const searches = [...plain.keys()]
        .flatMap((choice) => searchesOf(choice, factory, known?.adapt && adaptNow, context))
        .filter(({ kind }) => isJudged(kind));
      for (const { advance } of searches) await advance(Math.ceil(runs * MINIMUM));
      hasMinimum = true;
      for (const { advance } of searches) await advance(runs);
    } catch (error) {
      if (!(error instanceof Stopped)) throw error;
      notes.push(`stopped early: ${error.message}`);
    }
  }

  /** Finds another resource if the run has deleted the current resource. */
  async function refresh(): Promise<void> {
    if (known?.isGone() === true) known = await knownValues(operation, turn, (attempts += 1));
  }

  function result(): OperationResult {
    const { checked, undocumented, large, validStatuses } = prober;
    const isNotImplemented = validStatuses.has(NOT_IMPLEMENTED);
    const found = [...notes];
    if (undocumented.size > 0 && !run.checks.has('documented_rejection'))
      found.push(`responds ${listOf(undocumented)}, which the document does not describe`);
    if (large.size > 0) found.push(`responds ${listOf(large)} beyond --max-response-size: not read to the end`);
    const expected = run.expectedStatuses(operation);
    const isSuccessful = [...validStatuses].some((status) => status < 400 || expected.has(status));
    const byRule = new Set(
      [...validStatuses]
        .filter((status) => isByUnknownRule(operation, status))
        .filter((status) => !expected.has(status)),
    );
    if (isSuccessful && byRule.size > 0)
      found.push(`valid data got ${listOf(byRule)} as documented, by a rule that no schema has`);
    const successful = new Set(isSuccessful ? [operation.operationId] : []);
    const failureNote = isSuccessful || isNotImplemented ? undefined : describeFailure();
    return {
      failures: prober.failures(),
      checked,
      isNotImplemented,
      notes: found,
      unjudged: [],
      successful,
      failureNote,
      validStatuses,
    };
  }

  function describeFailure(): string | undefined {
    if (prober.validStatuses.size === 0 || !describesSuccess(operation)) return undefined;
    const isRefused = NEED_CREDENTIALS.some((status) => prober.validStatuses.has(status));
    const isPublic = operation.security.length === 0 && run.headers.length === 0;
    const reasons = [
      ...(isRefused && isPublic ? [operation.requestBody === undefined ? NO_SECURITY : UNKNOWN_USER] : []),
      ...(known?.reason === undefined ? [] : [known.reason]),
    ];
    const got = `no valid request was successful: they got ${listOf(prober.validStatuses)}`;
    return [got, ...reasons].join('; ');
  }

  /** Returns a valid request with the body from an OpenAPI link, if there is one. */
  function linkedCases(plain: readonly RequestInput[], { linkedBody: value }: Known): readonly Case[] {
    if (value === undefined) return [];
    const cases = plain.slice(0, 1).flatMap(({ parameters, body }) => {
      const input = { parameters, body: body && { ...body, value } };
      return caseOf(operation, requestOracle, input, tokens) ?? [];
    });
    return cases
      .filter(({ kind }) => kind === 'positive')
      .map((one) => ({ ...one, description: 'the body of a link' }));
  }

  function isJudged(kind: CaseKind): boolean {
    const isOwn = run.checks.has('own_check') && run.hooks.afterResponse !== undefined;
    return isOwn || checksFor(kind).some((check) => run.checks.has(check));
  }
}

function listOf(statuses: ReadonlySet<number>): string {
  return AND.format([...statuses].sort((one, other) => one - other).map(String));
}
