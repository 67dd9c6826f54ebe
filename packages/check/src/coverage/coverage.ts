import { matchMediaType, stringifyJson } from '@contract-first/contract';
import { resolveReference } from '@contract-first/documents';
import { NOT_OF_OPERATION } from '@contract-first/model/cases';
import { type ApiOperation, type BodyContent, encodingOf, type ApiParameter } from '@contract-first/model/operations';
import {
  isArray,
  isObject,
  type Json,
  membersOf,
  type Oracle,
  type JsonSchema,
  type SchemaDocument,
  type JsonSchemaObject,
} from '@contract-first/model/values';
import { documentedResponse, headerOf } from '../judgement/conformance.ts';
import type { Observation, CheckObserver } from '../judgement/observation.ts';
import { propertyNamesOf, readSentParameters, sentValuesOf } from './sent-parameters.ts';

/** The parts of an operation that occurred in requests and responses. */
export type OperationCoverage = {
  readonly operation: string;
  /** The documented statuses: `200`, `4XX`, `default`. */
  readonly statuses: Tally;
  /** The media types of requests. */
  readonly requestTypes: Tally;
  /** The media types of responses, by status. */
  readonly answerTypes: Tally;
  /** Whether each parameter was sent with a valid value, sent with an invalid value, and omitted. */
  readonly parameters: Tally;
  /** The schema branches of the body and the parameters. */
  readonly schema: Tally;
};

/** Observes the requests of a run. */
export type Coverage = { readonly observe: CheckObserver; readonly result: () => readonly OperationCoverage[] };

/** Creates an observer that measures the coverage of operations. */
export function createCoverage(operations: readonly ApiOperation[], schemas: SchemaDocument, oracle: Oracle): Coverage {
  const counters = new Map(operations.map((operation) => [operation, countersOf(operation, schemas, oracle)]));
  return {
    observe: (observation) => counters.get(observation.operation)?.observe(observation),
    result: () => [...counters.values()].map(({ result }) => result()),
  };
}

// Samples to detect parameters for which any text is valid.
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
      // The server may reject the request without parsing it.
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
      const values = sentValuesOf(parameter, propertyNamesOf(schemas, parameter.schema), sent);
      const valid = values?.filter((value) => oracle.allows(parameter.schema, value)) ?? [];
      const state = values === undefined ? 'left out' : valid.length > 0 ? 'valid' : 'invalid';
      parameterStates.mark(stateName(parameter, state));
      for (const value of valid) branches.mark(parameter.schema, value);
    }
  }

  /** Lists the possible states of a parameter. */
  function statesOf(parameter: ApiParameter): readonly string[] {
    const takesAny = ANY_TEXTS.every((text) => {
      const values = sentValuesOf({ ...parameter, style: 'simple' }, [], {
        path: [],
        query: [],
        header: [],
        cookie: [],
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

function stateName({ in: place, name }: ApiParameter, state: 'valid' | 'invalid' | 'left out'): string {
  return `${place} ${name} ${state}`;
}

function mediaTypeOf({ headers }: Observation['request'], contents: readonly BodyContent[]): string | undefined {
  const [, contentType = ''] = headers.find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  return matchMediaType(
    contentType,
    contents.map(({ mediaType }) => mediaType),
  );
}

/** Returns the value of a body: parsed JSON, or the value before serialization for other media types. */
function bodyValueOf(content: BodyContent, { testCase, request }: Observation): Json | undefined {
  if (encodingOf(content) !== 'json') return testCase.input?.body?.value;
  try {
    return JSON.parse(String(request.body)) as Json;
  } catch {
    return undefined;
  }
}

/** The branches of schemas: present and absent properties, alternatives of `oneOf` and `anyOf`, and `enum` values. */
type SchemaBranches = {
  /** Adds the branches of a schema. A schema that is used in several places counts once, at the first place. */
  readonly add: (schema: JsonSchema | undefined, place: string) => void;
  /** Marks the branches that a value takes. */
  readonly mark: (schema: JsonSchema | undefined, value: Json) => void;
};

// The maximum number of schemas per operation. Deeper schemas are not counted.
const MAX_SCHEMAS = 1_000;

/** Creates an empty set of branches. Registers and marks their names in a counter. */
function createSchemaBranches(schemas: SchemaDocument, oracle: Oracle, counter: Counter): SchemaBranches {
  const places = new Map<JsonSchemaObject, string>();
  return { add, mark };

  function add(root: JsonSchema | undefined, rootPlace: string): void {
    // The loop appends to the list that it iterates over.
    const found = [{ schema: root, place: rootPlace, isInAlternative: false }];
    for (const { schema, place, isInAlternative } of found) {
      if (!isSchemaObject(schema) || places.has(schema) || places.size >= MAX_SCHEMAS) continue;
      places.set(schema, place);
      for (const value of listOf(schema, 'enum')) counter.expect(valueName(place, value));
      for (const [name, property] of propertiesOf(schema)) {
        counter.expect(propertyName(place, name, 'present'));
        // A value without a required property does not match the alternative.
        const mustBePresent = isInAlternative && listOf(schema, 'required').includes(name);
        if (!mustBePresent) counter.expect(propertyName(place, name, 'absent'));
        found.push({ schema: property, place: `${place}.${name}`, isInAlternative });
      }
      for (const [index, { keyword, part }] of alternativesOf(schema).entries()) {
        const name = alternativeName(place, keyword, part, index);
        counter.expect(name);
        found.push({ schema: part, place: name, isInAlternative: true });
      }
      for (const part of partsOf(schema)) found.push({ schema: part, place, isInAlternative });
      found.push({ schema: itemsOf(schema), place: `${place}[]`, isInAlternative });
    }
  }

  function mark(schema: JsonSchema | undefined, value: Json): void {
    const place = isSchemaObject(schema) ? places.get(schema) : undefined;
    if (!isSchemaObject(schema) || place === undefined) return;
    if (schema['enum'] !== undefined) counter.mark(valueName(place, value));
    if (isObject(value)) {
      for (const [name, property] of propertiesOf(schema)) {
        const isPresent = Object.hasOwn(value, name);
        counter.mark(propertyName(place, name, isPresent ? 'present' : 'absent'));
        if (isPresent) mark(property, value[name] ?? null);
      }
    }
    for (const [index, { keyword, part }] of alternativesOf(schema).entries()) {
      if (!oracle.allows(part, value)) continue;
      counter.mark(alternativeName(place, keyword, part, index));
      mark(part, value);
    }
    for (const part of partsOf(schema)) mark(part, value);
    if (isArray(value)) for (const [, item] of membersOf(value)) mark(itemsOf(schema), item);
  }

  /** Returns the further schemas that a value must match. */
  function partsOf(schema: JsonSchemaObject): readonly JsonSchema[] {
    const { $ref: reference } = schema;
    const isKnown = typeof reference === 'string' && reference.startsWith(schemas.id);
    // Validated reference.
    const target = isKnown
      ? [resolveReference(schemas.document, reference.slice(schemas.id.length)) as JsonSchema]
      : [];
    return [...target, ...(listOf(schema, 'allOf') as readonly JsonSchema[])];
  }
}

const valueName = (place: string, value: unknown): string => `${place} = ${stringifyJson(value)}`;
const propertyName = (place: string, name: string, state: 'present' | 'absent'): string => `${place}.${name} ${state}`;

// The document is validated, so these keywords have the right types.

function listOf(schema: JsonSchemaObject, keyword: string): readonly unknown[] {
  return (schema[keyword] ?? []) as readonly unknown[];
}

function propertiesOf({ properties = {} }: JsonSchemaObject): readonly (readonly [string, JsonSchema])[] {
  return Object.entries(properties as Readonly<Record<string, JsonSchema>>);
}

function itemsOf({ items }: JsonSchemaObject): JsonSchema | undefined {
  return items as JsonSchema | undefined;
}

function alternativesOf(schema: JsonSchemaObject): readonly { readonly keyword: string; readonly part: JsonSchema }[] {
  return ['oneOf', 'anyOf'].flatMap((keyword) =>
    (listOf(schema, keyword) as readonly JsonSchema[]).map((part) => ({ keyword, part })),
  );
}

/** Names an alternative by its component or its number. */
function alternativeName(place: string, keyword: string, part: JsonSchema, index: number): string {
  const { $ref: own, allOf = [] } = Object(part) as JsonSchemaObject;
  // An alternative with a discriminator is an `allOf` of the reference and the discriminator's values.
  const reference = own ?? (Object((allOf as readonly JsonSchema[])[0]) as JsonSchemaObject)['$ref'];
  const name = typeof reference === 'string' ? reference.replace(/^.*\//s, '') : String(index + 1);
  return `${place} ${keyword} ${name}`;
}

function isSchemaObject(schema: JsonSchema | undefined): schema is JsonSchemaObject {
  return typeof schema === 'object';
}

/** Names that were seen, and expected names that were not seen. */
export type Tally = { readonly seen: readonly string[]; readonly notSeen: readonly string[] };

/** Records which of the expected names are seen. */
type Counter = {
  /** Adds an expected name. */
  readonly expect: (name: string) => void;
  /** Marks an expected name as seen. Ignores other names. */
  readonly mark: (name: string) => void;
  readonly tally: () => Tally;
};

/** Creates a counter with expected names. */
function createCounter(names: readonly string[] = []): Counter {
  const isSeen = new Map(names.map((name) => [name, false]));
  return {
    expect: (name) => void isSeen.set(name, false),
    mark: (name) => {
      if (isSeen.has(name)) isSeen.set(name, true);
    },
    tally: () => {
      const namesOf = (wanted: boolean) => [...isSeen].filter(([, seen]) => seen === wanted).map(([name]) => name);
      return { seen: namesOf(true), notSeen: namesOf(false) };
    },
  };
}
