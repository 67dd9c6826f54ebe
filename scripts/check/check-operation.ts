import fc from 'fast-check';
import type { ApiOperation } from './api-operation.ts';
import type { ArbitraryFactory } from '../values/arbitrary.ts';
import { encodingOf } from './body-bytes.ts';
import { caseOf, classify, type BodyChoice } from './case.ts';
import type { CheckName } from './checks.ts';
import { systematicCases } from './systematic-cases.ts';
import { createInputs } from './inputs.ts';
import { NoValue, filtered } from '../values/no-value.ts';
import { createProber, type Failure, type ProberOptions } from './prober.ts';
import { mutateBody } from './variants.ts';
import type { RequestInput } from './wire-request.ts';

export type RunOptions = ProberOptions & {
  readonly arbitraries: ArbitraryFactory;
  /** The number of generated requests of each kind, besides the systematic ones. */
  readonly runs: number;
};

/** The result of checking one operation. */
export type OperationResult = {
  readonly failures: readonly Failure[];
  readonly checked: ReadonlySet<CheckName>;
  /** Whether valid requests were answered 501. */
  readonly isNotImplemented: boolean;
  /** Messages about undocumented rejections, and about requests that could not be tried. */
  readonly notes: readonly string[];
};

const AND = new Intl.ListFormat('en-GB');

/** Checks one operation, first with systematic requests, then with generated valid and invalid ones. */
export async function checkOperation(operation: ApiOperation, options: RunOptions): Promise<OperationResult> {
  const { arbitraries, requestOracle, token, seed, runs, deadline } = options;
  const prober = createProber(operation, options);
  const factory = createInputs(operation, arbitraries, requestOracle);
  const plain = factory.plainInputs(seed);
  const notes = factory.unsupported.map((subject) => `not tried, as they cannot be generated: ${subject}`);
  for (const choice of factory.choices) {
    if (!plain.has(choice)) notes.push(`no valid request ${nameOf(choice)} could be generated`);
  }

  for (const testCase of systematicCases(operation, [...plain.values()].flat(), options)) {
    if (prober.isOver()) break;
    for (const { check } of await prober.probe(testCase)) await prober.record(check, testCase);
  }
  for (const choice of plain.keys()) {
    const valid = (): fc.Arbitrary<RequestInput> => factory.inputs(choice, false);
    await search(valid, `valid requests ${nameOf(choice)}`);
    if (choice === undefined || encodingOf(choice) !== 'json') continue;
    await search(() => invalidOf(valid()), `invalid requests ${nameOf(choice)}`);
  }
  if (prober.isOver()) notes.push('stopped early: the time limit was reached or the server became unreachable');
  if (prober.undocumented.size > 0) {
    const statuses = [...prober.undocumented].sort((one, other) => one - other).map(String);
    notes.push(`responds ${AND.format(statuses)}, which the document does not describe`);
  }
  const { failures, checked } = prober;
  return { failures, checked, isNotImplemented: prober.isNotImplemented(), notes };

  function invalidOf(valid: fc.Arbitrary<RequestInput>): fc.Arbitrary<RequestInput> {
    const mutated = fc.tuple(valid, fc.nat(), fc.nat()).map(([input, where, how]) => mutateBody(input, where, how));
    return filtered(mutated, (input) => classify(operation, requestOracle, input) === 'negative');
  }

  /** Searches for a failing check, lets fast-check shrink the request, and repeats this for the other checks. */
  async function search(inputs: () => fc.Arbitrary<RequestInput>, subject: string): Promise<void> {
    for (let isSearching = true; isSearching && !prober.isOver();) {
      let failing: CheckName | undefined;
      const holds = async (input: RequestInput): Promise<boolean> => {
        const testCase = caseOf(operation, requestOracle, input, token);
        if (testCase === undefined || prober.isOver()) return true;
        const violations = await prober.probe(testCase);
        // While shrinking, only the check that failed first counts.
        failing ??= violations[0]?.check;
        return !violations.some(({ check }) => check === failing);
      };
      const interruptAfterTimeLimit = Math.max(1, deadline - performance.now());
      const limits = { numRuns: runs, interruptAfterTimeLimit, markInterruptAsFailure: false };
      try {
        const [input] = (await fc.check(fc.asyncProperty(inputs(), holds), { seed, ...limits })).counterexample ?? [];
        const testCase = input && caseOf(operation, requestOracle, input, token);
        isSearching = testCase !== undefined && failing !== undefined;
        if (testCase !== undefined && failing !== undefined) await prober.record(failing, testCase);
      } catch (error) {
        if (!(error instanceof NoValue)) throw error;
        notes.push(`${subject} are too rare to be generated; some were not tried`);
        return;
      }
    }
  }
}

function nameOf(choice: BodyChoice): string {
  return choice === undefined ? 'without a body' : `of ${choice.mediaType}`;
}
