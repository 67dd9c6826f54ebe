import fc from 'fast-check';
import { stringifyJson } from '@contract-first/contract';
import type { ApiOperation, BodyContent, ApiParameter } from '../operations/api-operation.ts';
import type { ArbitraryFactory, GenerationOptions } from '../values/arbitrary.ts';
import { encodingOf, omitNonFormMembers } from '../operations/body-bytes.ts';
import { classify, isUndecided, type BodyChoice } from './case.ts';
import { isObject, isScalar, type Json, type JsonObject } from '../values/json-value.ts';
import { failureOr, NoValue, filtered, TooLarge, TooSlow } from '../values/generation-failure.ts';
import type { Oracle } from '../values/oracle.ts';
import { longestText } from '../values/value-size.ts';
import { withIdOfPath } from './path-id-in-body.ts';
import { isExploded, isSupportedStyle, writeParameter } from '../requests/parameter-text.ts';
import { withoutOne } from './variants.ts';
import type { RequestInput } from '../requests/wire-request.ts';

// Usually, all or no values of a schema can be written as a parameter.
const UNWRITABLE = 500;
// The number of samples, of which the shortest is used.
const SAMPLES = 10;
// Many servers reject bodies above 100 kB, and each request has hundreds of variants.
const MAX_BODY_SIZE = 10_000;

/** Creates a generator of valid requests for one operation. */
export function createValidInputs(operation: ApiOperation, arbitraries: ArbitraryFactory, oracle: Oracle) {
  const { requestBody } = operation;
  const contents = requestBody?.contents ?? [];
  const choices: BodyChoice[] = contents.filter((content) => encodingOf(content) !== undefined);
  if (requestBody?.required !== true) choices.push(undefined);
  const unsupportedContents = contents.filter((content) => !choices.includes(content));
  const unsupportedParameters = new Map(
    operation.parameters.flatMap((parameter) => {
      const failure = parameter.required && isSupportedStyle(parameter) ? undefined : failureFor(parameter);
      return failure === undefined ? [] : [[parameter, failure] as const];
    }),
  );

  // Shared by all sequences, which use different seeds.
  const plainOnes = new Map<BodyChoice, fc.Arbitrary<RequestInput>>();

  return {
    /** Returns an arbitrary of valid requests. @throws {NoValue} if no valid request with this body can be generated */
    inputs: (choice: BodyChoice): fc.Arbitrary<RequestInput> => build(choice, false),
    plain,
    plainInputs,
    /** The bodies that can be generated. */
    choices,
    /** Descriptions of bodies and parameters that cannot be generated. */
    unsupported: [
      ...unsupportedContents.map(({ mediaType }) => `request bodies of ${mediaType}`),
      ...[...unsupportedParameters].map(([{ name, style }, failure]) =>
        failure instanceof TooSlow ? `parameter ${name} (${failure.message})` : `parameter ${name} in style ${style}`,
      ),
    ],
  };

  function build(choice: BodyChoice, isPlain: boolean, isMinimal = false): fc.Arbitrary<RequestInput> {
    const parameters = operation.parameters
      .filter((parameter) => parameter.required || !unsupportedParameters.has(parameter))
      .map((parameter) => parameterInputs(parameter, isPlain));
    const body = choice === undefined ? fc.constant(undefined) : bodies(choice, isPlain, isMinimal);
    return fc.tuple(fc.tuple(...parameters), body).map(([optional, value]) => {
      const input: RequestInput = {
        parameters: optional.filter((one) => one !== undefined),
        body: choice === undefined || value === undefined ? undefined : { content: choice, value },
      };
      const own = withIdOfPath(operation, input);
      return own.body === undefined || oracle.allows(own.body.content.schema, own.body.value) ? own : input;
    });
  }

  /** Returns an arbitrary of plain valid requests. @throws {NoValue} if no valid request can be generated */
  function plain(choice: BodyChoice): fc.Arbitrary<RequestInput> {
    const made = plainOnes.get(choice) ?? build(choice, true);
    plainOnes.set(choice, made);
    return made;
  }

  /**
   * Generates two plain valid requests for each body choice: the smallest request, and a request with all optional
   * parts. Choices without a valid request are absent.
   *
   * @param onMissing is called with each absent choice
   */
  function plainInputs(
    seed: number,
    onMissing: (choice: BodyChoice, failure: NoValue) => void = () => undefined,
  ): Map<BodyChoice, RequestInput[]> {
    const found = new Map<BodyChoice, RequestInput[]>();
    for (const choice of choices) {
      try {
        const samples = samplesOf(choice, seed);
        const [full] = samples.toSorted((one, other) => lengthOf(one) - lengthOf(other));
        if (full === undefined) continue;
        const smallest = reduce(full);
        found.set(choice, smallest === full ? [full] : [smallest, full]);
      } catch (error) {
        if (!(error instanceof NoValue)) throw error;
        onMissing(choice, error);
      }
    }
    return found;
  }

  /** Generates plain valid requests, without optional properties of bodies if valid bodies with them are too rare. */
  function samplesOf(choice: BodyChoice, seed: number): readonly RequestInput[] {
    const sample = (arbitrary: fc.Arbitrary<RequestInput>) => fc.sample(arbitrary, { seed, numRuns: SAMPLES });
    const outcome = failureOr(() => sample(plain(choice)));
    if (outcome instanceof TooLarge || outcome instanceof TooSlow) throw outcome;
    return outcome instanceof NoValue ? sample(build(choice, true, true)) : outcome;
  }

  function reduce(input: RequestInput): RequestInput {
    const simpler = withoutOne(input).find((candidate) => classify(operation, oracle, candidate) === 'positive');
    return simpler === undefined ? input : reduce(simpler);
  }

  function parameterInputs(parameter: ApiParameter, plain: boolean) {
    if (!isSupportedStyle(parameter)) throw new NoValue(`parameter ${parameter.name} has style ${parameter.style}`);
    const text = ['header', 'cookie'].includes(parameter.in) ? 'token' : 'well-formed';
    const extras = isExploded(parameter) && 'described';
    const values = arbitraries(parameter.schema, { text, extras, plain, maxSize: MAX_BODY_SIZE });
    const isWritable = (value: Json): boolean =>
      writeParameter(parameter, value) !== undefined && !(extras && isObject(value) && hasOtherName(value));
    const writable = filtered(values, isWritable, UNWRITABLE);
    const inputs = writable.map((value) => ({ parameter, value }));
    return parameter.required || plain ? inputs : fc.option(inputs, { nil: undefined });
  }

  /** Returns whether a member of a free-form parameter has the name of another query parameter. */
  function hasOtherName(value: JsonObject): boolean {
    return operation.parameters.some(({ name, in: place }) => place === 'query' && Object.hasOwn(value, name));
  }

  function failureFor(parameter: ApiParameter): NoValue | undefined {
    const outcome = failureOr(() => fc.sample(parameterInputs(parameter, true), { seed: 1, numRuns: 1 }));
    return outcome instanceof NoValue ? outcome : undefined;
  }

  function bodies(content: BodyContent, plain: boolean, minimal: boolean): fc.Arbitrary<Json> {
    const encoding = encodingOf(content);
    if (encoding === 'binary') {
      const { minLength: least = 1, maxLength: most = Infinity } = Object(content.schema) as Lengths;
      if (least > longestText(MAX_BODY_SIZE)) throw new TooLarge(MAX_BODY_SIZE);
      const maxLength = Math.min(most, plain ? 4 : 2_000);
      const minLength = Math.min(Math.max(1, least), maxLength);
      return fc
        .uint8Array({ minLength, maxLength })
        .map((bytes) => Buffer.alloc(Math.max(least, bytes.length), bytes).toString('latin1'));
    }
    const options: GenerationOptions = {
      text: encoding === 'json' ? 'any' : 'well-formed',
      extras: encoding === 'json',
      plain,
      minimal,
      maxSize: MAX_BODY_SIZE,
    };
    const values = arbitraries(content.schema, options);
    if (encoding === 'json') return values;
    if (encoding === 'text') return filtered(values, (value) => isScalar(value) && value !== '');
    const decided = values.map((value) =>
      omitNonFormMembers(isObject(value) ? withoutUndecided(content, value) : value),
    );
    // A form is an object, even if its schema allows other values.
    return filtered(decided, (value) => isObject(value) && oracle.allows(content.schema, value));
  }
}

function withoutUndecided(content: BodyContent, value: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(value).filter(([name, member]) => !isUndecided(content, name, member)));
}

/** The size limits in a schema of binary data. */
type Lengths = { readonly minLength?: number; readonly maxLength?: number };

function lengthOf({ parameters, body }: RequestInput): number {
  const values = [...parameters.map(({ value }) => value), body?.value ?? null];
  return values.map((value) => stringifyJson(value).length).reduce((sum, length) => sum + length, 0);
}
