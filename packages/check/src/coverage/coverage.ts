import { matchMediaType } from '@contract-first/contract';
import type { Json, Oracle, SchemaDocument } from '@contract-first/model/values';
import { type ApiOperation, type BodyContent, encodingOf, type Parameter } from '@contract-first/model/operations';
import { NOT_OF_OPERATION } from '@contract-first/model/cases';
import { documentedResponse, headerOf } from '../judgement/conformance.ts';
import type { Observation, Observer } from '../judgement/observation.ts';
import { createSchemaBranches } from './schema-branches.ts';
import { propertyNamesOf, readSentParameters, valuesOf } from './sent-parameters.ts';
import { createCounter, type Tally } from './tally.ts';

/** What of an operation was seen in its requests and answers. */
export type OperationCoverage = {
  readonly operation: string;
  /** As documented: `200`, `4XX`, `default`. */
  readonly statuses: Tally;
  /** The media types of requests. */
  readonly requestTypes: Tally;
  /** The media types of answers, by status. */
  readonly answerTypes: Tally;
  /** Whether each parameter was sent with a valid value, with an invalid one, and left out. */
  readonly parameters: Tally;
  /** The branches of the schemas of the body and of the parameters. */
  readonly schema: Tally;
};

/** Observes the requests of a run. */
export type Coverage = { readonly observe: Observer; readonly result: () => readonly OperationCoverage[] };

/** Creates an observer that counts what of some operations was seen. */
export function createCoverage(operations: readonly ApiOperation[], schemas: SchemaDocument, oracle: Oracle): Coverage {
  const counters = new Map(operations.map((operation) => [operation, countersOf(operation, schemas, oracle)]));
  return {
    observe: (observation) => counters.get(observation.operation)?.observe(observation),
    result: () => [...counters.values()].map(({ result }) => result()),
  };
}

// Each of these texts is a valid value of a parameter that any text is valid for.
const ANY_TEXTS = ['x', '1', '-1.5', 'true', 'a b,c', 'x'.repeat(10_000)];

function countersOf(operation: ApiOperation, schemas: SchemaDocument, oracle: Oracle) {
  const { operationId, responses, parameters, requestBody } = operation;
  const contents = requestBody?.contents ?? [];
  const statuses = createCounter(Object.keys(responses));
  const requestTypes = createCounter(contents.map(({ mediaType }) => mediaType));
  const answerTypes = createCounter(
    Object.entries(responses).flatMap(([status, { contents }]) =>
      contents.map(({ mediaType }) => `${status} ${mediaType}`),
    ),
  );
  const parameterStates = createCounter(parameters.flatMap((parameter) => statesOf(parameter)));
  const schema = createCounter();
  const branches = createSchemaBranches(schemas, oracle, schema);
  for (const parameter of parameters) branches.add(parameter.schema, `${parameter.in} ${parameter.name}`);
  for (const content of contents) {
    branches.add(content.schema, contents.length === 1 ? 'body' : `body ${content.mediaType}`);
  }
  return {
    observe(observation: Observation): void {
      const { testCase, request, response } = observation;
      if (NOT_OF_OPERATION.includes(testCase.kind)) return;
      if (response !== undefined) observeAnswer(response);
      // The server need not look at what comes without credentials.
      if (testCase.kind === 'no authentication') return;
      observeParameters(request);
      const mediaType = contents.length === 0 ? undefined : mediaTypeOf(request, contents);
      if (request.body === undefined || mediaType === undefined) return;
      requestTypes.mark(mediaType);
      const content = contents.find((one) => one.mediaType === mediaType);
      const value = content === undefined ? undefined : bodyValueOf(content, observation);
      if (value !== undefined) branches.mark(content?.schema, value);
    },
    result: (): OperationCoverage => ({
      operation: operationId,
      statuses: statuses.tally(),
      requestTypes: requestTypes.tally(),
      answerTypes: answerTypes.tally(),
      parameters: parameterStates.tally(),
      schema: schema.tally(),
    }),
  };

  function observeAnswer(response: NonNullable<Observation['response']>): void {
    const documented = documentedResponse(operation, response.status);
    const [status] = Object.entries(responses).find(([, one]) => one === documented) ?? [];
    if (status === undefined || documented === undefined) return;
    statuses.mark(status);
    const mediaTypes = documented.contents.map(({ mediaType }) => mediaType);
    const mediaType = matchMediaType(headerOf(response, 'content-type') ?? '', mediaTypes);
    if (mediaType !== undefined) answerTypes.mark(`${status} ${mediaType}`);
  }

  function observeParameters(request: Observation['request']): void {
    const sent = readSentParameters(operation, request);
    for (const parameter of parameters) {
      const values = valuesOf(parameter, propertyNamesOf(schemas, parameter.schema), sent);
      const valid = values?.filter((value) => oracle.allows(parameter.schema, value)) ?? [];
      const state = values === undefined ? 'left out' : valid.length > 0 ? 'valid' : 'invalid';
      parameterStates.mark(stateName(parameter, state));
      for (const value of valid) branches.mark(parameter.schema, value);
    }
  }

  /** Lists how a parameter can be sent. */
  function statesOf(parameter: Parameter): readonly string[] {
    const takesAny = ANY_TEXTS.every((text) => {
      const values = valuesOf({ ...parameter, style: 'simple' }, [], {
        ...{ path: [], query: [], header: [], cookie: [] },
        [parameter.in]: [[parameter.in === 'header' ? parameter.name.toLowerCase() : parameter.name, text]],
      });
      return values?.some((value) => oracle.allows(parameter.schema, value));
    });
    return [
      stateName(parameter, 'valid'),
      ...(takesAny ? [] : [stateName(parameter, 'invalid')]),
      ...(parameter.in === 'path' ? [] : [stateName(parameter, 'left out')]),
    ];
  }
}

function stateName({ in: place, name }: Parameter, state: 'valid' | 'invalid' | 'left out'): string {
  return `${place} ${name} ${state}`;
}

function mediaTypeOf({ headers }: Observation['request'], contents: readonly BodyContent[]): string | undefined {
  const [, contentType = ''] = headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return matchMediaType(
    contentType,
    contents.map(({ mediaType }) => mediaType),
  );
}

/** Returns the value of a body: JSON as sent, others as they were before they were written. */
function bodyValueOf(content: BodyContent, { testCase, request }: Observation): Json | undefined {
  if (encodingOf(content) !== 'json') return testCase.input?.body?.value;
  try {
    return JSON.parse(String(request.body)) as Json;
  } catch {
    return undefined;
  }
}
