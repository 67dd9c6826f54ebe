import { stringifyJson } from '@contract-first/contract';
import { allPropertiesOf } from '../values/schema-property.ts';
import type { JsonSchema, SchemaDocument } from '../values/json-schema.ts';
import { isArray, isObject, isScalar, type Json } from '../values/json-value.ts';
import type { ApiOperation, BodyContent, ApiParameter } from './api-operation.ts';
import { keywordsOf } from './read-contents.ts';

/** A response example with the same name as a request example. */
export type ExamplePair = {
  readonly name: string;
  /** The key of the response: `200`, `4XX`, `default`. */
  readonly key: string;
  /** Whether the request body has an example with this name. */
  readonly hasBody: boolean;
};

/** The values of a request. */
export type SentValues = {
  readonly valueOf: (parameter: ApiParameter) => Json | undefined;
  readonly body: { readonly content: BodyContent; readonly value: Json } | undefined;
};

/**
 * Creates a function that finds the pair whose request examples a request matches; of several, the pair with the most
 * examples. Omitted members have their defaults.
 *
 * @param schemas the document with its request schemas
 * @returns `undefined` if the operation has no pairs
 */
export function createPairing(
  { parameters, requestBody, responses }: ApiOperation,
  schemas: SchemaDocument,
): ((sent: SentValues) => ExamplePair | undefined) | undefined {
  const contents = requestBody?.contents ?? [];
  const answers = Object.entries(responses).flatMap(([key, response]) =>
    response.contents.flatMap(({ named }) => [...named.keys()].map((name) => [name, key] as const)),
  );
  // For each name, the first response with such an example is used.
  const pairs = [...new Map(answers.toReversed())].flatMap(([name, key]) => {
    const own = parameters.flatMap((parameter) => examplesNamed(name, parameter));
    const bodies = contents.flatMap((content) => examplesNamed(name, content));
    return own.length + bodies.length === 0 ? [] : [{ name, key, own, bodies, hasBody: bodies.length > 0 }];
  });
  if (pairs.length === 0) return undefined;
  const parts = (pair: (typeof pairs)[number]): number => pair.own.length + Number(pair.hasBody);
  const mostFirst = pairs.toSorted((one, other) => parts(other) - parts(one));
  return ({ valueOf, body }) =>
    mostFirst.find(
      ({ own, bodies, hasBody }) =>
        own.every(({ of, isEqual }) => isEqual(valueOf(of))) &&
        (!hasBody || bodies.some(({ of, isEqual }) => of === body?.content && isEqual(body.value))),
    );

  function examplesNamed<Of extends ApiParameter | BodyContent>(name: string, of: Of) {
    const example = of.named.get(name);
    return example === undefined ? [] : [{ of, isEqual: equalTo(example, of.schema, schemas) }];
  }
}

/**
 * Creates a test for values that equal an example. Omitted members have their defaults. Response-only members are
 * ignored.
 */
function equalTo(
  example: Json,
  schema: JsonSchema | undefined,
  schemas: SchemaDocument,
): (value: Json | undefined) => boolean {
  if (isArray(example)) {
    // Validated document.
    const { items } = keywordsOf(schemas, schema ?? true) as { readonly items?: JsonSchema };
    const tests = example.map((item) => equalTo(item, items, schemas));
    return (value = null) =>
      isArray(value) && value.length === tests.length && tests.every((test, index) => test(value[index]));
  }
  if (!isObject(example)) {
    const text = stringifyJson(example); // For int64s, which are bigints in handlers.
    return (value) => value === example || (value !== undefined && isScalar(value) && stringifyJson(value) === text);
  }
  const declared = new Map(Object.entries(allPropertiesOf(schemas, schema)));
  const defaults = new Map(
    declared.entries().map(([name, property]) => [name, keywordsOf(schemas, property)['default'] as Json | undefined]), // The document is JSON.
  );
  const names = new Set([...Object.keys(example), ...defaults.keys()]).difference(schemas.removed);
  const tests = [...names].flatMap((name) => {
    const fallback = defaults.get(name);
    const expected = Object.hasOwn(example, name) ? example[name] : fallback;
    return expected === undefined ? [] : [{ name, fallback, test: equalTo(expected, declared.get(name), schemas) }];
  });
  const known = new Set(tests.map(({ name }) => name)).union(schemas.removed);
  return (value = null) =>
    isObject(value) &&
    tests.every(({ name, fallback, test }) => test(Object.hasOwn(value, name) ? value[name] : fallback)) &&
    Object.keys(value).every((name) => known.has(name));
}
