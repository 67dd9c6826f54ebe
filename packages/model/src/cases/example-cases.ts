import type { Json } from '../values/json-value.ts';
import type { Oracle } from '../values/oracle.ts';
import type { ApiOperation, BodyContent, ApiParameter } from '../operations/api-operation.ts';
import { encodingOf } from '../operations/body-bytes.ts';
import { caseOf, type BodyChoice, type Case } from './case.ts';
import type { Tokens } from '../requests/credentials.ts';
import { faultOf, faultsWithin, type DocumentedExample } from '../operations/documented-examples.ts';
import type { RequestInput } from '../requests/wire-request.ts';

/** A parameter or a body with its examples. */
type Slot = {
  readonly place: string;
  readonly of: ApiParameter | BodyContent;
  readonly examples: readonly (DocumentedExample & { readonly fault: string | undefined })[];
};
type Chosen = ReadonlyMap<ApiParameter | BodyContent, Json>;

/**
 * Generates cases from the document's examples: a request with the first valid example of each parameter and the body,
 * then copies with each other example. Required parts without examples get generated values.
 */
export function* exampleCases(
  operation: ApiOperation,
  oracle: Oracle,
  plainInputs: readonly RequestInput[],
  tokens: Tokens,
): Generator<Case> {
  const contents = contentsOf(operation);
  const choices: readonly BodyChoice[] = contents.length === 0 ? [undefined] : contents;
  for (const choice of choices) {
    // The last plain input has all optional parts.
    const plain = plainInputs.findLast(({ body }) => body?.content === choice);
    const slots = slotsOf(operation, choice, oracle, plain);
    // The examples of parameters need only one body.
    if (slots.length === 0 || (choice !== choices[0] && !slots.some(({ of }) => of === choice))) continue;
    const first: Chosen = new Map(
      slots.flatMap(({ of, examples }) => {
        const valid = examples.find(({ fault }) => fault === undefined);
        return valid === undefined ? [] : [[of, valid.value]];
      }),
    );
    const others = slots.flatMap(({ of, place, examples }) =>
      examples
        .filter(({ value }) => value !== first.get(of))
        .map(({ name, value }) => [`${name} of ${place}`, new Map([...first, [of, value]])] as const),
    );
    for (const [description, chosen] of [['the examples of the document', first] as const, ...others]) {
      const input = inputOf(operation, choice, chosen, plain);
      const testCase = input && caseOf(operation, oracle, input, tokens);
      if (testCase !== undefined) yield { ...testCase, description };
    }
  }
}

/** Returns a message for each parameter or body example that its schema does not allow. */
export type ExampleFaults = (operation: ApiOperation) => readonly string[];

/** Creates {@link ExampleFaults}. Reports faults in a shared schema once. */
export function createExampleFaults(oracle: Oracle): ExampleFaults {
  const visited = new Set<string>();
  return (operation) => {
    const contents = contentsOf(operation);
    const slots = [undefined, ...contents].flatMap((choice) =>
      slotsOf(operation, choice, oracle, undefined).filter(({ of }) => choice === undefined || of === choice),
    );
    const whole = slots.flatMap(({ place, examples }) =>
      examples.flatMap(({ name, fault }) =>
        fault === undefined ? [] : [`the ${name} of ${place} is not valid: ${fault}`],
      ),
    );
    const described = [
      ...operation.parameters.map(({ in: location, name, schema }) => [`${location} ${name}`, schema] as const),
      ...contents.map(({ mediaType, schema }) => [`body ${mediaType}`, schema] as const),
    ];
    const within = described.flatMap(([subject, schema = true]) =>
      [...faultsWithin(oracle, schema, visited)].map(
        ({ name, place, fault }) => `the ${name} of ${place} in ${subject} is not valid: ${fault}`,
      ),
    );
    return [...whole, ...within];
  };
}

function contentsOf({ requestBody }: ApiOperation): readonly BodyContent[] {
  return (requestBody?.contents ?? []).filter((content) => encodingOf(content) !== undefined);
}

/** Returns the parameters and the body that have examples. */
function slotsOf(
  { parameters }: ApiOperation,
  choice: BodyChoice,
  oracle: Oracle,
  plain: RequestInput | undefined,
): readonly Slot[] {
  const slotOf = (of: ApiParameter | BodyContent, place: string, generated: Json | undefined): Slot => {
    const examples = of.examples(oracle, generated).map((example) => ({
      ...example,
      fault: faultOf(oracle, of.schema, example.value),
    }));
    // Combined property examples may be invalid together; these are skipped.
    return { of, place, examples: examples.filter(({ isCombined, fault }) => !isCombined || fault === undefined) };
  };
  const ofParameters = parameters.map((parameter) =>
    slotOf(parameter, `${parameter.in} ${parameter.name}`, generatedFor(parameter, plain)),
  );
  const ofBody = choice === undefined ? [] : [slotOf(choice, `body ${choice.mediaType}`, plain?.body?.value)];
  return [...ofParameters, ...ofBody].filter(({ examples }) => examples.length > 0);
}

/** Returns a request with the chosen examples; `undefined` if a required part has no example and no generated value. */
function inputOf(
  { parameters, requestBody }: ApiOperation,
  choice: BodyChoice,
  chosen: Chosen,
  plain: RequestInput | undefined,
): RequestInput | undefined {
  const values = parameters.map((parameter) => {
    const generated = parameter.required ? generatedFor(parameter, plain) : undefined;
    return { parameter, value: chosen.get(parameter) ?? generated };
  });
  const sent = values.flatMap(({ parameter, value }) => (value === undefined ? [] : [{ parameter, value }]));
  const isComplete = values.every(({ parameter, value }) => !parameter.required || value !== undefined);
  const value = choice === undefined ? undefined : (chosen.get(choice) ?? plain?.body?.value);
  if (!isComplete || (value === undefined && requestBody?.required === true)) return undefined;
  const body = choice === undefined || value === undefined ? undefined : { content: choice, value };
  return { parameters: sent, body };
}

function generatedFor(parameter: ApiParameter, plain: RequestInput | undefined): Json | undefined {
  return plain?.parameters.find((sent) => sent.parameter === parameter)?.value;
}
