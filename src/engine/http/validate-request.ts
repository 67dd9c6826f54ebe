import { reviveInt64s, type Int64Shape } from '../contract/int64.ts';
import type { Operation } from '../contract/operation.ts';
import { InvalidRequest, type OperationValidator } from '../contract/validator.ts';
import type { RequestBody } from './body.ts';
import type { readParameters } from './parameters.ts';
import { setOwn } from './text-value.ts';

/** A validated request of any operation. int64s are bigints. */
export type ValidRequest = {
  readonly path: object;
  readonly query: object;
  readonly headers: object;
  readonly cookies: object;
  readonly contentType: string | undefined;
  readonly body: unknown;
};

/**
 * Validates a request against the document, fills in defaults, and inserts exact integers and files.
 *
 * @throws {InvalidRequest} when the request does not conform
 */
export function validateRequest(
  operation: Operation,
  validator: OperationValidator,
  { values, sourceDigits }: ReturnType<typeof readParameters>,
  body: RequestBody | undefined,
  int64Shapes: Readonly<Record<string, Int64Shape>>,
): ValidRequest {
  // Header names are case-insensitive: the validator expects lower case, handlers the spelling of the document.
  const headers: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(values.header)) setOwn(headers, name.toLowerCase(), value);
  validator.request({
    path: values.path,
    query: values.query,
    headers,
    cookies: values.cookie,
    mediaType: body?.mediaType,
    body: body?.root[''] instanceof Blob ? undefined : body?.root[''],
    bodyBytes: body?.sizeBytes ?? 0,
  });
  for (const { name, in: location } of operation.parameters) {
    if (location === 'header' && Object.hasOwn(headers, name.toLowerCase()))
      setOwn(values.header, name, headers[name.toLowerCase()]);
  }

  const parameters = { root: { '': values }, sourceDigits };
  const problems = reviveInt64s(parameters, operation.parameterInt64s, int64Shapes, '');
  if (body !== undefined) {
    const shape = operation.requestBody?.content[body.mediaType]?.int64s;
    problems.push(...reviveInt64s(body, shape, int64Shapes, 'body'));
    for (const [name, files] of body.files ?? []) insertFiles(body.root[''] as object, name, files);
  }
  if (problems.length > 0) throw new InvalidRequest(problems.join(', '));

  const { path, query, header, cookie } = parameters.root[''];
  return { path, query, headers: header, cookies: cookie, contentType: body?.contentType, body: body?.root[''] };
}

/** Replaces the placeholders of a form field, an empty string or a list of them, with its files. */
function insertFiles(fields: object, name: string, files: readonly File[]): void {
  const isList = Array.isArray((fields as Readonly<Record<string, unknown>>)[name]);
  setOwn(fields, name, isList ? files : files[0]);
}
