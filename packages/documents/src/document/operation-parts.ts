import type { Content, Document, listOperations, ParameterObject, RequestBodyObject } from './document.ts';
import { parametersOf } from './parameters.ts';
import { mapValues } from './map-values.ts';
import { dereference } from './reference.ts';

/** The parts of an operation, dereferenced except for schemas. */
export type OperationParts = {
  readonly parameters: readonly ParameterObject[];
  readonly requestBody: RequestBodyObject | undefined;
  /** The responses by key: `200`, `4XX`, `default`. */
  readonly responses: Readonly<Record<string, ResponseParts>>;
};

/** A response. The headers have lower-case names. */
type ResponseParts = { readonly content: Content; readonly headers: Readonly<Record<string, ParameterObject>> };

type Listed = Pick<ReturnType<typeof listOperations>[number], 'pathItem' | 'object'>;

/** Reads the parts of an operation of a validated document. */
export function partsOf(document: Document, { pathItem, object }: Listed): OperationParts {
  return {
    parameters: parametersOf(document, pathItem, object),
    requestBody: dereference(document, object.requestBody),
    responses: mapValues(object.responses ?? {}, (response) => {
      const { content = {}, headers = {} } = dereference(document, response);
      const entries = Object.entries(headers).map(
        ([name, node]) => [name.toLowerCase(), dereference(document, node)] as const,
      );
      return { content, headers: Object.fromEntries(entries) };
    }),
  };
}
