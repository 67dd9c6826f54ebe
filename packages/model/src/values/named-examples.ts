import { dereference, type OpenApiDocument } from '@contract-first/documents';
import type { Json } from './json-value.ts';

/** The values of examples, by name. */
export type NamedExamples = ReadonlyMap<string, Json>;

/** An example object. OpenAPI 3.2 has `dataValue` instead of `value`. */
type ExampleNode = { readonly value?: Json; readonly dataValue?: Json };

/** Reads the `examples` of a parameter or media type object. */
export function readNamedExamples(document: OpenApiDocument, nodes: Readonly<Record<string, unknown>>): NamedExamples {
  const named = Object.entries(nodes).flatMap(([name, node]) => {
    const { value, dataValue = value } = (dereference(document, node) ?? {}) as ExampleNode;
    return dataValue === undefined ? [] : [[name, dataValue] as const];
  });
  return new Map(named);
}
