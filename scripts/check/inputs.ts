import fc from 'fast-check';
import type { ApiOperation, BodyContent, Parameter } from './api-operation.ts';
import type { ArbitraryFactory, Manner } from './arbitrary.ts';
import { encodingOf, withoutTextless } from './body-bytes.ts';
import type { BodyChoice } from './case.ts';
import type { Json } from './json-value.ts';
import { NoValue, onlyThose } from './no-value.ts';
import type { Oracle } from './oracle.ts';
import { isKnownStyle, writeParameter } from './parameter-text.ts';
import type { RequestInput } from './wire-request.ts';

/** Makes valid requests to one operation. */
export type InputFactory = {
  /** The kinds of body that can be made. */
  readonly choices: readonly BodyChoice[];
  /** @throws {NoValue} when there is no valid request with this body that could be made */
  readonly inputs: (choice: BodyChoice, plain: boolean) => fc.Arbitrary<RequestInput>;
  /** What of the document cannot be tried, for people. */
  readonly untried: readonly string[];
};

/** A factory for an operation's requests. */
export function createInputs(operation: ApiOperation, arbitraries: ArbitraryFactory, oracle: Oracle): InputFactory {
  const { requestBody } = operation;
  const contents = requestBody?.contents ?? [];
  const choices: BodyChoice[] = contents.filter((content) => encodingOf(content) !== undefined);
  if (requestBody?.required !== true) choices.push(undefined);
  const untriedContents = contents.filter((content) => !choices.includes(content));
  const untriedParameters = operation.parameters.filter((parameter) => !isKnownStyle(parameter));

  return {
    choices,
    untried: [
      ...untriedContents.map(({ mediaType }) => `request bodies of ${mediaType}`),
      ...untriedParameters.map(({ name, style }) => `parameter ${name} in style ${style}`),
    ],
    inputs(choice, plain) {
      const parameters = operation.parameters
        .filter((parameter) => parameter.required || isKnownStyle(parameter))
        .map((parameter) => parameterInputs(parameter, plain));
      const body = choice === undefined ? fc.constant(undefined) : bodies(choice, plain);
      return fc.tuple(fc.tuple(...parameters), body).map(([sent, value]) => ({
        parameters: sent.flatMap((one) => (one === undefined ? [] : [one])),
        body: choice === undefined || value === undefined ? undefined : { content: choice, value },
      }));
    },
  };

  function parameterInputs(parameter: Parameter, plain: boolean) {
    if (!isKnownStyle(parameter)) throw new NoValue(`parameter ${parameter.name} has style ${parameter.style}`);
    const text = ['header', 'cookie'].includes(parameter.in) ? 'token' : 'well-formed';
    const values = arbitraries(parameter.schema, { text, extras: false, plain });
    const writable = onlyThose(values, (value) => writeParameter(parameter, value) !== undefined);
    const inputs = writable.map((value) => ({ parameter, value }));
    return parameter.required || plain ? inputs : fc.option(inputs, { nil: undefined });
  }

  function bodies(content: BodyContent, plain: boolean): fc.Arbitrary<Json> {
    const encoding = encodingOf(content);
    if (encoding === 'binary') {
      return fc
        .uint8Array({ minLength: 1, maxLength: plain ? 4 : 2_000 })
        .map((bytes) => Buffer.from(bytes).toString('latin1'));
    }
    const manner: Manner = { text: encoding === 'json' ? 'any' : 'well-formed', extras: encoding === 'json', plain };
    const values = arbitraries(content.schema, manner);
    if (encoding === 'json') return values;
    if (encoding === 'text') return onlyThose(values, (value) => typeof value === 'string' && value !== '');
    return onlyThose(values.map(withoutTextless), (value) => oracle.allows(content.schema, value));
  }
}
