import type { Contract } from './contract.ts';
import { findOperationObject } from './slice-document.ts';

type BodyExamples = { readonly examples?: Readonly<Record<string, Example>> };
/** `dataValue` is the value since OpenAPI 3.2. */
type Example = { readonly value?: unknown; readonly dataValue?: unknown };

/** Returns a curl command for the first operation of the contract, with the documented example of its request body. */
export function exampleCurl({ operations, basePaths, document }: Contract, baseUrl: string, token: string): string {
  const operation = Object.values(operations)[0];
  if (operation === undefined) return `curl ${baseUrl}`;
  const { method, path, requestBody } = operation;
  const parts = [`curl -X ${method} ${baseUrl}${basePaths[0] ?? ''}${path}`, `-H 'Authorization: Bearer ${token}'`];

  const mediaType = Object.keys(requestBody?.content ?? {})[0];
  if (mediaType !== undefined) {
    const object = findOperationObject(document, operation) as {
      readonly requestBody?: { readonly content?: Readonly<Record<string, BodyExamples>> };
    };
    const [example] = Object.values(object.requestBody?.content?.[mediaType]?.examples ?? {});
    const body = JSON.stringify(example?.value ?? example?.dataValue ?? {}).replaceAll("'", "'\\''");
    parts.push(`-H 'Content-Type: ${mediaType}'`, `-d '${body}'`);
  }
  return parts.join(' ');
}
