import fc from 'fast-check';
import { filtered, NoValue } from '@contract-first/model/values';
import { type ApiOperation, encodingOf } from '@contract-first/model/operations';
import {
  type BodyChoice,
  type CaseKind,
  caseOf,
  classify,
  type createValidInputs,
  mutateBody,
} from '@contract-first/model/cases';
import type { RequestInput } from '@contract-first/model/requests';
import type { Prober } from './prober.ts';
import type { Run } from '../run/run.ts';

/** A search with generated requests of one kind. */
export type Search = {
  readonly kind: CaseKind;
  /** Searches for failures until a total number of requests has been generated. */
  readonly advance: (until: number) => Promise<void>;
};

type Context = {
  readonly operation: ApiOperation;
  readonly run: Run;
  readonly prober: Prober;
  /** Awaited before each request, so that `adapt` uses ids of existing resources. */
  readonly refresh: () => Promise<void>;
  /** Called if requests cannot be generated, since they are too rare or too large. */
  readonly onMissing: (subject: string, failure: NoValue) => void;
};

/**
 * Creates the searches for a choice of body: with valid requests, and for JSON also with invalid requests.
 *
 * @param adapt inserts the ids of existing resources into a request; it is applied to half of the requests
 */
export function searchesOf(
  choice: BodyChoice,
  factory: ReturnType<typeof createValidInputs>,
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
    createSearch('positive', `valid requests ${describeBody(choice)}`, valid, context),
    ...(isJson ? [createSearch('negative', `invalid requests ${describeBody(choice)}`, invalid, context)] : []),
  ];
}

/** Describes the body of a request for messages. */
export function describeBody(choice: BodyChoice): string {
  return choice === undefined ? 'without a body' : `of ${choice.mediaType}`;
}

/** @param createInputs called once; throws {@link NoValue} if no inputs can be generated */
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
          thrown = error as Error; // No other values are thrown.
          throw new fc.PreconditionFailure(true); // Ends the search; fast-check would shrink any other error.
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
