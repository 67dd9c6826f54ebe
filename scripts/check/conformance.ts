import { parseJson, type JsonTree } from '../../src/engine/contract/json.ts';
import type { ApiOperation, ApiResponse, BodyContent } from './api-operation.ts';
import { covers, encodingOf } from './body-bytes.ts';
import type { Case } from './case.ts';
import { findRounded } from './echo.ts';
import type { Answer } from './exchange.ts';
import type { Oracle } from './oracle.ts';
import { readingsOf } from './parameter-text.ts';

/** Everything that a check looks at. */
export type Evidence = {
  readonly operation: ApiOperation;
  readonly sent: Case;
  readonly answer: Answer;
  /** Of the schemas for responses. */
  readonly oracle: Oracle;
};

/** One check of an answer. */
export type Check = (evidence: Evidence) => string | undefined;

/** What the document has for a status: by itself, by its class, or by default. */
export function documented({ responses }: ApiOperation, status: number): ApiResponse | undefined {
  const kind = String(status).charAt(0);
  return responses[status] ?? responses[`${kind}XX`] ?? responses[`${kind}xx`] ?? responses['default'];
}

/** The service must not fail, whatever it is sent. */
export const notAServerError: Check = ({ answer: { status } }) =>
  status >= 500 ? `the answer is ${String(status)}` : undefined;

/** The status is one of the document's. */
export const statusCodeConformance: Check = ({ operation, answer: { status } }) => {
  const known = Object.keys(operation.responses).join(', ');
  return documented(operation, status) === undefined
    ? `status ${String(status)} is not documented, only ${known}`
    : undefined;
};

/** The answer has a body when the document has one for the status, of the documented media type. */
export const contentTypeConformance: Check = ({ operation, answer }) => {
  const response = documented(operation, answer.status);
  if (response === undefined || operation.method === 'HEAD') return undefined;
  const sent = headerOf(answer, 'content-type');
  const expected = response.contents.map(({ mediaType }) => mediaType).join(', ');
  if (expected === '') return answer.body.length > 0 ? 'there is a body, but none is documented' : undefined;
  if (sent === undefined) return `there is no Content-Type, but ${expected} is documented`;
  return contentOf(response, answer) === undefined
    ? `Content-Type is ${sent}, but ${expected} is documented`
    : undefined;
};

/** Required headers are there, and those that are there fit their schemas. */
export const responseHeadersConformance: Check = ({ operation, answer, oracle }) => {
  for (const { name, required, schema } of documented(operation, answer.status)?.headers ?? []) {
    const text = headerOf(answer, name);
    if (text === undefined) {
      if (required) return `the header ${name} is missing`;
      continue;
    }
    if (readingsOf(text).some((reading) => oracle.allows(schema, reading))) continue;
    return `the header ${name} does not fit its schema: ${text}`;
  }
  return undefined;
};

/** The body fits its schema, integers to the last digit. */
export const responseSchemaConformance: Check = ({ operation, sent, answer, oracle }) => {
  const response = documented(operation, answer.status);
  const content = response === undefined ? undefined : contentOf(response, answer);
  if (content === undefined || operation.method === 'HEAD') return undefined;
  const encoding = encodingOf(content);
  if (encoding === 'text') return oracle.complaint(content.schema, parseJson(JSON.stringify(answer.body.toString())));
  if (encoding !== 'json') return undefined;

  let json: JsonTree;
  try {
    json = parseJson(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(answer.body));
  } catch (error) {
    return `the body is not JSON: ${(error as Error).message}`;
  }
  const int64s = new Map<object, Set<string>>();
  const complaint = oracle.complaint(content.schema, json, (holder, key) => {
    int64s.set(holder, (int64s.get(holder) ?? new Set()).add(key));
  });
  if (complaint !== undefined) return `the ${complaint}`;
  if (sent.input === undefined || answer.status >= 300) return undefined;
  return findRounded(sent.input, json, (holder, key) => int64s.get(holder)?.has(key) === true);
};

/** The value of a header; several of one name are one list (RFC 9110, 5.3). */
export function headerOf({ headers }: Answer, name: string): string | undefined {
  const values = headers.filter(([known]) => known === name).map(([, value]) => value);
  return values.length === 0 ? undefined : values.join(', ');
}

function contentOf({ contents }: ApiResponse, answer: Answer): BodyContent | undefined {
  const sent = headerOf(answer, 'content-type');
  if (sent === undefined) return undefined;
  const matching = contents.filter(({ mediaType }) => covers(mediaType, sent));
  return matching.find(({ mediaType }) => !mediaType.includes('*')) ?? matching[0];
}
