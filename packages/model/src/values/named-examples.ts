import { dereference, type OpenApiDocument } from '@contract-first/documents';
import type { Json } from './json-value.ts';

/** The values of examples, by name. */
export type NamedExamples = ReadonlyMap<string, Json>;

/** An example object, whose value has another name since OpenAPI 3.2. */
type ExampleNode = { readonly value?: Json; readonly dataValue?: Json };

/** Reads the `examples` of a parameter or media type object. */
export function readNamedExamples(document: OpenApiDocument, nodes: Readonly<Record<string, unknown>>): NamedExamples {
  const named = Object.entries(nodes).flatMap(([name, node]) => {
    const { value, dataValue = value } = (dereference(document, node) ?? {}) as ExampleNode;
    return dataValue === undefined ? [] : [[name, dataValue] as const];
  });
  return new Map(named);
}
