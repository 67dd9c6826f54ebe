import type { Contract } from './contract.ts';

type BodyExamples = { readonly examples?: Readonly<Record<string, { readonly value?: unknown }>> };

/** Returns a curl command for the first operation of the contract, with the documented example of its request body. */
export function exampleCurl({ operations, basePaths, document }: Contract, baseUrl: string, token: string): string {
  const operation = Object.values(operations)[0];
  if (operation === undefined) return `curl ${baseUrl}`;
  const { method, path, requestBody } = operation;
  const parts = [`curl -X ${method} ${baseUrl}${basePaths[0] ?? ''}${path}`, `-H 'Authorization: Bearer ${token}'`];

  const mediaType = Object.keys(requestBody?.content ?? {})[0];
  if (mediaType !== undefined) {
    const object = document.paths?.[path]?.[method.toLowerCase()] as
      { readonly requestBody?: { readonly content?: Readonly<Record<string, BodyExamples>> } } | undefined;
    const examples = Object.values(object?.requestBody?.content?.[mediaType]?.examples ?? {});
    const body = JSON.stringify(examples[0]?.value ?? {}).replaceAll("'", "'\\''");
    parts.push(`-H 'Content-Type: ${mediaType}'`, `-d '${body}'`);
  }
  return parts.join(' ');
}
