import fc from 'fast-check';
import type { ApiOperation } from './api-operation.ts';
import type { ArbitraryFactory } from './arbitrary.ts';
import { encodingOf } from './body-bytes.ts';
import type { BodyChoice } from './case.ts';
import type { CheckName } from './checks.ts';
import { caseOf, coverageCases } from './coverage.ts';
import { createInputs } from './inputs.ts';
import { judge } from './judgement.ts';
import { NoValue, onlyThose } from './no-value.ts';
import { plainInputs } from './plain-inputs.ts';
import { createProber, type Failure, type ProberOptions } from './prober.ts';
import { mutateBody } from './variants.ts';
import type { RequestInput } from './wire-request.ts';

export type RunOptions = ProberOptions & {
  readonly arbitraries: ArbitraryFactory;
  /** Generated requests of each kind, besides those that are always tried. */
  readonly runs: number;
};

/** What came out of the checks of one operation. */
export type OperationResult = {
  readonly failures: readonly Failure[];
  readonly checked: ReadonlySet<CheckName>;
  /** What was left out, for people. */
  readonly notes: readonly string[];
};

/** Checks one operation: first what is always tried, then generated requests, valid and invalid. */
export async function checkOperation(operation: ApiOperation, options: RunOptions): Promise<OperationResult> {
  const { arbitraries, requestOracle, token, seed, runs, deadline } = options;
  const prober = createProber(operation, options);
  const factory = createInputs(operation, arbitraries, requestOracle);
  const plain = plainInputs(operation, factory, requestOracle, seed);
  const notes = factory.untried.map((what) => `${what} cannot be made up, and were not tried`);
  for (const choice of factory.choices) {
    if (!plain.has(choice)) notes.push(`no valid request ${nameOf(choice)} was found, and none was tried`);
  }

  for (const one of coverageCases(operation, requestOracle, [...plain.values()].flat(), token)) {
    if (prober.isOver()) break;
    for (const { check } of await prober.probe(one)) await prober.record(check, one);
  }
  for (const choice of plain.keys()) {
    const valid = (): fc.Arbitrary<RequestInput> => factory.inputs(choice, false);
    await search(valid, `valid requests ${nameOf(choice)}`);
    if (choice === undefined || encodingOf(choice) !== 'json') continue;
    await search(() => invalidOf(valid()), `invalid requests ${nameOf(choice)}`);
  }
  if (prober.isOver()) notes.push('not everything was tried: the time was up, or the server was gone');
  return { failures: prober.failures, checked: prober.checked, notes };

  function invalidOf(valid: fc.Arbitrary<RequestInput>): fc.Arbitrary<RequestInput> {
    const mutated = fc.tuple(valid, fc.nat(), fc.nat()).map(([input, where, how]) => mutateBody(input, where, how));
    return onlyThose(mutated, (input) => judge(operation, requestOracle, input) === 'negative');
  }

  /** Looks for a check that fails, lets fast-check simplify the request, and goes on for the other checks. */
  async function search(inputs: () => fc.Arbitrary<RequestInput>, what: string): Promise<void> {
    for (let isSearching = true; isSearching && !prober.isOver();) {
      let failing: CheckName | undefined;
      const holds = async (input: RequestInput): Promise<boolean> => {
        const made = caseOf(operation, requestOracle, input, token);
        if (made === undefined || prober.isOver()) return true;
        const complaints = await prober.probe(made);
        // A simpler request that fails another check would be the answer to another question.
        failing ??= complaints[0]?.check;
        return !complaints.some(({ check }) => check === failing);
      };
      const interruptAfterTimeLimit = Math.max(1, deadline - performance.now());
      const limits = { numRuns: runs, interruptAfterTimeLimit, markInterruptAsFailure: false };
      try {
        const [input] = (await fc.check(fc.asyncProperty(inputs(), holds), { seed, ...limits })).counterexample ?? [];
        const made = input && caseOf(operation, requestOracle, input, token);
        isSearching = made !== undefined && failing !== undefined;
        if (made !== undefined && failing !== undefined) await prober.record(failing, made);
      } catch (error) {
        if (!(error instanceof NoValue)) throw error;
        notes.push(`${what} are too rare to be found, and were not all tried`);
        return;
      }
    }
  }
}

function nameOf(choice: BodyChoice): string {
  return choice === undefined ? 'without a body' : `of ${choice.mediaType}`;
}
