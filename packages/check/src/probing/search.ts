import fc from 'fast-check';
import { filtered, NoValue } from '@contract-first/model/values';
import { type ApiOperation, encodingOf } from '@contract-first/model/operations';
import {
  type BodyChoice,
  type CaseKind,
  caseOf,
  classify,
  type createInputs,
  mutateBody,
} from '@contract-first/model/cases';
import type { RequestInput } from '@contract-first/model/requests';
import type { Prober } from './prober.ts';
import type { Run } from '../run/run.ts';

/** Generated requests of one kind. */
export type Search = {
  readonly kind: CaseKind;
  /** Searches for failing checks until a number of requests is generated. */
  readonly advance: (until: number) => Promise<void>;
};

type Context = {
  readonly operation: ApiOperation;
  readonly run: Run;
  readonly prober: Prober;
  /** Is awaited before each request, so that `adapt` has the ids of resources that still exist. */
  readonly refresh: () => Promise<void>;
  /** Receives the subject of a search whose requests cannot be generated, as they are too rare or too large. */
  readonly onMissing: (subject: string, failure: NoValue) => void;
};

/**
 * Creates the searches with a body: of valid requests, and of invalid ones where they are JSON.
 *
 * @param adapt copies a request with the ids of existing resources: half of the requests have them
 */
export function searchesOf(
  choice: BodyChoice,
  factory: ReturnType<typeof createInputs>,
  adapt: ((input: RequestInput) => RequestInput) | undefined,
  context: Context,
): readonly Search[] {
  const { operation, run } = context;
  const valid = (): fc.Arbitrary<RequestInput> => {
    const inputs = factory.inputs(choice);
    if (adapt === undefined) return inputs;
    return fc.tuple(inputs, fc.boolean()).map(([input, isKnown]) => (isKnown ? adapt(input) : input));
  };
  const invalid = (): fc.Arbitrary<RequestInput> => {
    const mutated = fc.tuple(valid(), fc.nat(), fc.nat()).map(([input, where, how]) => mutateBody(input, where, how));
    return filtered(mutated, (input) => classify(operation, run.requestOracle, input) === 'negative');
  };
  const isJson = choice !== undefined && encodingOf(choice) === 'json';
  return [
    createSearch('positive', `valid requests ${nameOf(choice)}`, valid, context),
    ...(isJson ? [createSearch('negative', `invalid requests ${nameOf(choice)}`, invalid, context)] : []),
  ];
}

/** Names the body of a request in messages. */
export function nameOf(choice: BodyChoice): string {
  return choice === undefined ? 'without a body' : `of ${choice.mediaType}`;
}

/** @param createInputs is called once; throws {@link NoValue} when there are none */
function createSearch(
  kind: CaseKind,
  subject: string,
  createInputs: () => fc.Arbitrary<RequestInput>,
  { operation, run, prober, refresh, onMissing }: Context,
): Search {
  let inputs: fc.Arbitrary<RequestInput> | undefined;
  let done = 0;
  return { kind, advance };

  async function advance(until: number): Promise<void> {
    while (done < until) {
      let failing: string | undefined;
      let thrown: Error | undefined;
      const holds = async (input: RequestInput): Promise<boolean> => {
        const testCase = caseOf(operation, run.requestOracle, input, run.tokens);
        if (testCase === undefined) return true;
        try {
          await refresh();
          // While shrinking, only the first failure counts.
          if (failing !== undefined) return !(await prober.fails(failing, testCase));
          for (const key of await prober.probe(testCase)) {
            if (await prober.isRepeatable(key)) failing ??= key;
          }
          return failing === undefined;
        } catch (error) {
          thrown = error as Error; // Nothing else is thrown.
          throw new fc.PreconditionFailure(true); // Ends the search; another error would be shrunk.
        }
      };
      try {
        inputs ??= createInputs();
        const { numRuns } = await fc.check(fc.asyncProperty(inputs, holds), {
          seed: run.seed + done,
          numRuns: until - done,
        });
        if (thrown !== undefined) throw thrown;
        done += numRuns;
        await prober.simplify();
      } catch (error) {
        if (!(error instanceof NoValue)) throw error;
        onMissing(subject, error);
        done = Infinity;
      }
    }
  }
}
