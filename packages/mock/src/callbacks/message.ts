import { kindOf, stringifyJson } from '@contract-first/contract';
import {
  dereference,
  parametersOf,
  type Document,
  type OperationObject,
  type PathItem,
  type RequestBodyObject,
} from '@contract-first/documents';
import { encodingOf, readRequestBody, withoutTextless, writeBody } from '@contract-first/model/operations';
import { type Described, isArray, type Json, type Values } from '@contract-first/model/values';
import { isVisible, RESERVED } from '../responses/headers.ts';
import { writeText } from '../responses/text-body.ts';

/** The headers and the body of a callback. */
export type Message = { readonly headers: Readonly<Record<string, string>>; readonly body: Buffer | undefined };

/**
 * Creates the documented request of a callback: with examples, or generated values.
 *
 * @param values those of responses, since the service sends it: with read-only members, without write-only ones
 * @param key decides which values are generated
 */
export function createMessage(values: Values, pathItem: PathItem, object: OperationObject, key: string): Message {
  const document = values.document as Document; // The linter has checked its shape.
  const parameters = parametersOf(document, pathItem, object).filter((one) => one.in === 'header');
  const headers = parameters.flatMap((parameter) => {
    const { name, content = {} } = parameter;
    const described = (Object.values(content)[0] ?? parameter) as Described; // The linter has checked this shape.
    const value = values.valuesOf(described, wanted(name, true)).find(isVisible);
    return value === undefined || RESERVED.test(name) ? [] : [[name.toLowerCase(), headerText(value)] as const];
  });
  const node = dereference(document, object.requestBody) as RequestBodyObject | undefined;
  const contents = Object.values(node?.content ?? {});
  const described = readRequestBody(values.schemas, node)?.contents ?? [];
  const index = Math.max(
    0,
    described.findIndex(({ mediaType }) => kindOf(mediaType) === 'json'),
  );
  const content = described[index];
  if (content === undefined) return { headers: Object.fromEntries(headers), body: undefined };
  const kind = encodingOf(content);
  const isText = kind !== 'json' && kind !== 'form' && kind !== 'multipart';
  const [value = null] = values.valuesOf(contents[index] as Described, wanted('body', isText)); // As above.
  const { contentType, bytes } = writeBody(content, kind === 'json' ? value : withoutTextless(value));
  const body = kind === undefined ? Buffer.from(writeText(content.mediaType, value)) : bytes;
  return { headers: { ...Object.fromEntries(headers), 'content-type': contentType }, body };

  function wanted(part: string, isText: boolean) {
    return { key: `${key} ${part}`, dynamic: false, isText };
  }
}

function headerText(value: Json): string {
  if (isArray(value)) return value.map(headerText).join(',');
  return typeof value === 'string' ? value : stringifyJson(value);
}
