import { parameterNames, stringifyJson } from '@contract-first/contract';
import fc from 'fast-check';
import { type ApiOperation, headerParameter, type ApiParameter } from '@contract-first/model/operations';
import { classify, withIdOfPath } from '@contract-first/model/cases';
import {
  tryGenerate,
  mergeAllOf,
  isObject,
  isScalar,
  type Json,
  partAt,
  placesOf,
  propertyOf,
  uuidOf,
} from '@contract-first/model/values';
import { idText } from '@contract-first/model/resources';
import { type RequestInput, withMember } from '@contract-first/model/requests';
import { IDEMPOTENCY_KEY } from '../run/idempotency-keys.ts';
import type { Run } from '../run/run.ts';

/** Generates plain valid inputs for an operation, which depend on the seed. The smallest inputs come last. */
export type PlainInputs = (operation: ApiOperation, seed: number) => Iterable<RequestInput>;

/**
 * Creates {@link PlainInputs} with only required parameters, since optional parameters may filter a list or request a
 * dry run.
 */
export function createPlainInputs({ inputsOf, requestOracle, seed }: Run): PlainInputs {
  return function* (operation, offset) {
    const factory = inputsOf(operation);
    for (const choice of factory.choices) {
      const sample = tryGenerate(() => fc.sample(factory.plain(choice), { seed: seed + offset, numRuns: 1 }));
      yield* (sample ?? []).map(usual);
    }
    const smallest = [...factory.plainInputs(seed + offset).values()].flatMap((inputs) => inputs.slice(0, 1));
    yield* smallest.map(usual);

    /** Removes optional parameters except an idempotency key, which depends on the seed. */
    function usual({ parameters, body }: RequestInput): RequestInput {
      const key = headerParameter(operation, IDEMPOTENCY_KEY);
      const kept = parameters.filter(({ parameter }) => parameter.required || parameter === key);
      if (key === undefined) return { parameters: kept, body };
      const own = uuidOf(`${operation.operationId} ${String(seed + offset)}`);
      const value = requestOracle.allows(key.schema, own) ? own : undefined;
      return {
        parameters: kept.map((sent) => (sent.parameter === key ? { ...sent, value: value ?? sent.value } : sent)),
        body,
      };
    }
  };
}

// The seed offset between attempts, beyond the offsets of other variants.
const ATTEMPT_OFFSET = 10_000;
const ATTEMPTS = 8;
const MAX_PLACES = 200;

/**
 * Returns a plain input for an operation. With an earlier value, prefers an input whose body differs from it in each
 * place, since a change to an equal value is not visible.
 */
export function differentInput(
  plainInputs: PlainInputs,
  operation: ApiOperation,
  variant: number,
  earlier?: Json,
): RequestInput | undefined {
  let best: RequestInput | undefined;
  let least = Infinity;
  for (let attempt = 0; attempt < ATTEMPTS && least > 0; attempt += 1) {
    const [input] = plainInputs(operation, variant + attempt * ATTEMPT_OFFSET);
    const count = earlier === undefined ? 0 : countEqual(input?.body?.value ?? null, earlier);
    if (count < least) [best, least] = [input, count];
  }
  return best;
}

/** Counts the places where two values have equal scalars. */
function countEqual(value: Json, earlier: Json): number {
  return placesOf(value, MAX_PLACES).filter((place) => {
    const part = partAt(value, place);
    return isScalar(part) && part === partAt(earlier, place);
  }).length;
}

/** Replaces the values of the first path parameters. */
export function withPathValues(
  operation: ApiOperation,
  { parameters, body }: RequestInput,
  values: readonly Json[],
): RequestInput {
  const { path } = operation;
  const known = new Map(parameterNames(path).map((name, index) => [name, values[index]]));
  const changed = parameters.map(({ parameter, value }) => {
    const other = parameter.in === 'path' ? known.get(parameter.name) : undefined;
    return { parameter, value: other === undefined ? value : asTypeOf(value, other) };
  });
  return withIdOfPath(operation, { parameters: changed, body });
}

/** Sets or adds a parameter. */
export function withParameter({ parameters, body }: RequestInput, parameter: ApiParameter, value: Json): RequestInput {
  const others = parameters.filter((sent) => sent.parameter !== parameter);
  return { parameters: [...others, { parameter, value }], body };
}

/** Replaces the values of all parameters with a name, optionally only in one place. */
export function withNamedValue(
  input: RequestInput,
  name: string,
  other: Json,
  place?: ApiParameter['in'],
): RequestInput {
  const isNamed = ({ name: own, in: location }: ApiParameter): boolean =>
    own === name && (place ?? location) === location;
  if (!input.parameters.some(({ parameter }) => isNamed(parameter))) return input;
  const parameters = input.parameters.map(({ parameter, value }) => {
    return { parameter, value: isNamed(parameter) ? asTypeOf(value, other) : value };
  });
  return { ...input, parameters };
}

/** Returns an id as a text if a parameter has a text: in a path, a number is a text, too. */
function asTypeOf(value: Json, id: Json): Json {
  return typeof value === 'string' ? idText(id) : id;
}

/**
 * Replaces booleans and enum values that equal the read values by different valid values, so that a change is visible.
 */
export function withOtherChoices(
  operation: ApiOperation,
  input: RequestInput,
  read: Json = null,
  { requestSchemas, requestOracle }: Run,
): RequestInput {
  const { body } = input;
  const members = body !== undefined && isObject(body.value) ? Object.entries(body.value) : [];
  return members.reduce((result, [name, value]) => {
    const schema = mergeAllOf(requestSchemas, propertyOf(requestSchemas, body?.content.schema, name) ?? false);
    const { enum: choices = [] } = Object(schema) as { readonly enum?: readonly Json[] }; // Validated document.
    const isOld = (one: Json): boolean => stringifyJson(one) === stringifyJson(partAt(read, [name]));
    const other = typeof value === 'boolean' ? !value : choices.find((choice) => choice !== null && !isOld(choice));
    if (!isOld(value) || other === undefined) return result;
    const changed = withMember(result, name, other);
    return classify(operation, requestOracle, changed) === 'positive' ? changed : result;
  }, input);
}

/** Sets all nullable members of a JSON object to null. */
export function withNulls(input: RequestInput, { requestSchemas, requestOracle }: Run): RequestInput {
  const { parameters, body } = input;
  if (body === undefined || !isObject(body.value)) return input;
  const { schema } = body.content;
  const isNullable = (name: string): boolean =>
    requestOracle.allows(propertyOf(requestSchemas, schema, name) ?? false, null);
  const names = Object.keys(body.value).filter(isNullable);
  if (names.length === 0) return input;
  const nulls = Object.fromEntries(names.map((name) => [name, null]));
  return { parameters, body: { ...body, value: { ...body.value, ...nulls } } };
}

// Ids that are unlikely to exist.
const UNUSUAL: readonly Json[] = [
  ...['8f14e45f-ceea-467f-a1c5-7b3d5e0c9a61', 'contract-check-unknown', '507f1f77bcf86cd799439011'],
  ...[2_147_483_629, 999_999_937, 999_983, 9_973],
];

const MAX_UNUSED = 3;

/** Returns valid parameter values that most likely identify no resource: several if there are few valid values. */
export function unusedValues({ schema }: ApiParameter, { requestOracle, arbitraries, seed }: Run): readonly Json[] {
  const known = UNUSUAL.find((value) => requestOracle.allows(schema, value));
  if (known !== undefined) return [known];
  const options = { text: 'token', extras: false, plain: false } as const;
  const sample = tryGenerate(() => fc.sample(arbitraries(schema, options), { seed, numRuns: 20 })) ?? [];
  return [...new Set(sample.reverse())].slice(0, MAX_UNUSED);
}
