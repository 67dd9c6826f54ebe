import { stringifyJson } from '@contract-first/contract';
import { allPropertiesOf } from '../values/schema-property.ts';
import type { Schema, SchemaDocument } from '../values/dialect.ts';
import { isArray, isObject, type Json } from '../values/json-value.ts';
import type { ApiOperation, BodyContent, Parameter } from './api-operation.ts';
import { keywordsOf } from './read-contents.ts';

/** An example of a response that has the name of an example of the request. */
export type ExamplePair = {
  readonly name: string;
  /** The key of the response: `200`, `4XX`, `default`. */
  readonly key: string;
  /** Whether the body of the request has an example of the name. */
  readonly hasBody: boolean;
};

/** The values of a request. */
export type SentValues = {
  readonly valueOf: (parameter: Parameter) => Json | undefined;
  readonly body: { readonly content: BodyContent; readonly value: Json } | undefined;
};

/**
 * Creates a function that finds the pair whose examples a request has: of several, the one with the most. Members that a request
 * leaves out have their defaults.
 *
 * @param schemas of requests
 * @returns `undefined` when the operation has no pairs
 */
export function createPairing(
  { parameters, requestBody, responses }: ApiOperation,
  schemas: SchemaDocument,
): ((sent: SentValues) => ExamplePair | undefined) | undefined {
  const contents = requestBody?.contents ?? [];
  const answers = Object.entries(responses).flatMap(([key, response]) =>
    response.contents.flatMap(({ named }) => [...named.keys()].map((name) => [name, key] as const)),
  );
  // The first response with an example of a name counts.
  const pairs = [...new Map(answers.toReversed())].flatMap(([name, key]) => {
    const own = parameters.flatMap((parameter) => examplesNamed(name, parameter));
    const bodies = contents.flatMap((content) => examplesNamed(name, content));
    return own.length + bodies.length === 0 ? [] : [{ name, key, own, bodies, hasBody: bodies.length > 0 }];
  });
  if (pairs.length === 0) return undefined;
  const parts = (pair: (typeof pairs)[number]): number => pair.own.length + Number(pair.hasBody);
  const mostFirst = pairs.toSorted((one, other) => parts(other) - parts(one));
  return ({ valueOf, body }) => {
    let text: string | undefined; // Of the body, made once for all pairs.
    return mostFirst.find(
      ({ own, bodies, hasBody }) =>
        own.every((one) => one.text === textOf(one.of, valueOf(one.of))) &&
        (!hasBody ||
          bodies.some((one) => one.of === body?.content && one.text === (text ??= textOf(body.content, body.value)))),
    );
  };

  function examplesNamed<Of extends Parameter | BodyContent>(name: string, of: Of) {
    const example = of.named.get(name);
    return example === undefined ? [] : [{ of, text: textOf(of, example) }];
  }

  /** Returns a text that equal values share. */
  function textOf({ schema }: Parameter | BodyContent, value: Json | undefined): string | undefined {
    return value === undefined ? undefined : canonical(withDefaults(schemas, schema, value));
  }
}

/** Adds the defaults of the members that a value lacks, and removes members that requests do not have. */
function withDefaults(schemas: SchemaDocument, schema: Schema | undefined, value: Json): Json {
  if (isArray(value)) {
    // The linter has checked the shape of this keyword.
    const { items } = keywordsOf(schemas, schema ?? true) as { readonly items?: Schema };
    return value.map((item) => withDefaults(schemas, items, item));
  }
  if (!isObject(value)) return value;
  const declared = new Map(Object.entries(allPropertiesOf(schemas, schema)));
  const defaults = [...declared].flatMap(([name, property]) => {
    const fallback = keywordsOf(schemas, property)['default'] as Json | undefined; // The document is JSON.
    return fallback === undefined ? [] : [[name, fallback] as const];
  });
  const own = Object.entries(value)
    .filter(([name]) => !schemas.removed.has(name))
    .map(([name, member]) => [name, withDefaults(schemas, declared.get(name), member)] as const);
  return Object.fromEntries([...defaults, ...own]);
}

function canonical(value: Json): string {
  if (isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return stringifyJson(value);
  const names = Object.keys(value).sort();
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name] ?? null)}`).join()}}`;
}
