import { parseJson, stringifyJson } from '../../src/engine/contract/json.ts';
import type { Json } from '../values/json-value.ts';
import type { Oracle } from '../values/oracle.ts';
import type { ApiOperation, BodyContent, Parameter } from './api-operation.ts';
import { encodingOf } from './body-bytes.ts';
import { caseOf, type BodyChoice, type Case } from './case.ts';
import { withParts, type DocumentedExample } from './documented-examples.ts';
import type { RequestInput } from './wire-request.ts';

/** The examples of a parameter or of a body. */
type Slot = {
  readonly place: string;
  readonly of: Parameter | BodyContent;
  readonly examples: readonly DocumentedExample[];
};

/**
 * Generates the cases of the document's own examples: a request with the first valid one of each parameter and of the body,
 * then copies of it with each other example. Required parts without examples are those of a plain request.
 */
export function* exampleCases(
  operation: ApiOperation,
  oracle: Oracle,
  plainInputs: readonly RequestInput[],
  token: string | undefined,
): Generator<Case> {
  const contents = contentsOf(operation);
  const withExamples = contents.filter((content) => hasExamples(slotOfContent(content)));
  const parameterSlots = operation.parameters.map(slotOfParameter).filter(hasExamples);
  if (parameterSlots.length + withExamples.length === 0) return;
  const choices: readonly BodyChoice[] = withExamples.length > 0 ? withExamples : [contents[0]];
  for (const choice of choices) {
    const plain = plainInputs.find(({ body }) => body?.content === choice);
    const slots = [...parameterSlots, ...(choice === undefined ? [] : [slotOfContent(choice)])].filter(hasExamples);
    const first = new Map(
      slots.flatMap((slot) => {
        const valid = slot.examples.find((example) => faultOf(oracle, slot, example) === undefined);
        return valid === undefined ? [] : [[slot.of, valid]];
      }),
    );
    const others = slots.flatMap(({ of, place, examples }) =>
      examples
        .filter((example) => example !== first.get(of))
        .map((example) => [`${example.name} of ${place}`, new Map([...first, [of, example]])] as const),
    );
    for (const [description, chosen] of [['the examples of the document', first] as const, ...others]) {
      const input = inputOf(operation, choice, chosen, plain);
      const testCase = input && caseOf(operation, oracle, input, token);
      if (testCase !== undefined) yield { ...testCase, description };
    }
  }
}

/** Returns a message for each example that its schema does not allow. */
export function exampleFaults(operation: ApiOperation, oracle: Oracle): readonly string[] {
  const slots = [...operation.parameters.map(slotOfParameter), ...contentsOf(operation).map(slotOfContent)];
  return slots.flatMap((slot) =>
    slot.examples.flatMap((example) => {
      const fault = faultOf(oracle, slot, example);
      return fault === undefined ? [] : [`the ${example.name} of ${slot.place} is not valid: ${fault}`];
    }),
  );
}

function contentsOf({ requestBody }: ApiOperation): readonly BodyContent[] {
  return (requestBody?.contents ?? []).filter((content) => encodingOf(content) !== undefined);
}

function slotOfParameter(parameter: Parameter): Slot {
  return { place: `${parameter.in} ${parameter.name}`, of: parameter, examples: parameter.examples() };
}

function slotOfContent(content: BodyContent): Slot {
  return { place: `body ${content.mediaType}`, of: content, examples: content.examples() };
}

function hasExamples({ examples }: Slot): boolean {
  return examples.length > 0;
}

function faultOf(oracle: Oracle, { of }: Slot, { value, isPart }: DocumentedExample): string | undefined {
  if (isPart) return undefined; // The rest of the value decides.
  return oracle.violation(of.schema, parseJson(stringifyJson(value)))?.replace(/^body ?/, '');
}

/** Returns a request with the chosen examples; `undefined` when a required part has none and no value was generated. */
function inputOf(
  { parameters, requestBody }: ApiOperation,
  choice: BodyChoice,
  chosen: ReadonlyMap<Parameter | BodyContent, DocumentedExample>,
  plain: RequestInput | undefined,
): RequestInput | undefined {
  const valueOf = (of: Parameter | BodyContent, generated: Json | undefined): Json | undefined => {
    const example = chosen.get(of);
    if (example?.isPart !== true) return example?.value ?? generated;
    return generated === undefined ? undefined : withParts(generated, example.value);
  };
  const values = parameters.map((parameter) => {
    const generated = plain?.parameters.find((sent) => sent.parameter === parameter)?.value;
    return {
      parameter,
      value: valueOf(parameter, parameter.required || chosen.has(parameter) ? generated : undefined),
    };
  });
  const sent = values.flatMap(({ parameter, value }) => (value === undefined ? [] : [{ parameter, value }]));
  if (values.some(({ parameter, value }) => parameter.required && value === undefined)) return undefined;
  const value = choice === undefined ? undefined : valueOf(choice, plain?.body?.value);
  if (value === undefined && requestBody?.required === true) return undefined;
  const body = choice === undefined || value === undefined ? undefined : { content: choice, value };
  return { parameters: sent, body };
}
