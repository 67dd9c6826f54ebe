import fc from 'fast-check';
import { stringifyJson } from '../../src/engine/contract/json.ts';
import type { ApiOperation } from './api-operation.ts';
import type { BodyChoice } from './case.ts';
import type { InputFactory } from './inputs.ts';
import { judge } from './judgement.ts';
import { NoValue } from './no-value.ts';
import type { Oracle } from './oracle.ts';
import { withoutOne } from './variants.ts';
import type { RequestInput } from './wire-request.ts';

// The shortest of several samples is used.
const SAMPLES = 10;

/**
 * Generates plain valid requests of an operation for each kind of body: the smallest one, and one with all optional
 * parts. Kinds without a valid request are absent.
 */
export function plainInputs(
  operation: ApiOperation,
  factory: InputFactory,
  oracle: Oracle,
  seed: number,
): Map<BodyChoice, RequestInput[]> {
  const found = new Map<BodyChoice, RequestInput[]>();
  for (const choice of factory.choices) {
    try {
      const samples = fc.sample(factory.inputs(choice, true), { seed, numRuns: SAMPLES });
      const [full] = samples.sort((one, other) => lengthOf(one) - lengthOf(other));
      if (full === undefined) continue;
      const smallest = reduce(full);
      found.set(choice, smallest === full ? [full] : [smallest, full]);
    } catch (error) {
      if (!(error instanceof NoValue)) throw error;
    }
  }
  return found;

  function reduce(input: RequestInput): RequestInput {
    const simpler = withoutOne(input).find((candidate) => judge(operation, oracle, candidate) === 'positive');
    return simpler === undefined ? input : reduce(simpler);
  }
}

function lengthOf({ parameters, body }: RequestInput): number {
  const values = [...parameters.map(({ value }) => value), body?.value ?? null];
  return values.map((value) => stringifyJson(value).length).reduce((sum, length) => sum + length, 0);
}
