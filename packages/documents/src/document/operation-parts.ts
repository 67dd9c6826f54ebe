import type {
  Content,
  Document,
  listOperations,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
} from './document.ts';
import { parametersOf } from './parameters.ts';
import { mapValues } from './records.ts';
import { dereference } from './reference.ts';

/** The parts of an operation that have values, without references to other objects than schemas. */
export type OperationParts = {
  readonly parameters: readonly ParameterObject[];
  readonly requestBody: RequestBodyObject | undefined;
  /** By key of `responses`. */
  readonly responses: Readonly<Record<string, ResponseParts>>;
};

/** The headers are by name in lower case. */
type ResponseParts = { readonly content: Content; readonly headers: Readonly<Record<string, ParameterObject>> };

type Listed = Pick<ReturnType<typeof listOperations>[number], 'pathItem' | 'object'>;

/** Reads the parts of an operation, whose shapes the linter has checked. */
export function partsOf(document: Document, { pathItem, object }: Listed): OperationParts {
  return {
    parameters: parametersOf(document, pathItem, object),
    requestBody: dereference(document, object.requestBody) as RequestBodyObject | undefined,
    responses: mapValues(object.responses ?? {}, (response) => {
      const { content = {}, headers = {} } = dereference(document, response) as ResponseObject;
      const entries = Object.entries(headers).map(([name, node]) => [name.toLowerCase(), dereference(document, node)]);
      return { content, headers: Object.fromEntries(entries) as ResponseParts['headers'] };
    }),
  };
}
