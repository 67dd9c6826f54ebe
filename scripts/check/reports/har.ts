import type { Secret } from '../curl-line.ts';
import type { Observation } from '../observation.ts';
import { hideSecrets } from '../secrets.ts';
import type { CreateReport } from './run-report.ts';

type NameValue = { readonly name: string; readonly value: string };
type Pairs = readonly (readonly [name: string, value: string])[];

const CREATOR = { name: 'contract', version: '1' };
const HTTP = 'HTTP/1.1';
const UNKNOWN = -1; // As HAR says for sizes.

/** Writes an HTTP archive (HAR 1.2) with every request. */
export const createHar: CreateReport = (file, { baseUrl, secrets }) => {
  let separator = '\n';
  file.write(`{"log":{"version":"1.2","creator":${JSON.stringify(CREATOR)},"entries":[`);
  return {
    observe(observation) {
      file.write(separator + JSON.stringify(entryOf(observation, baseUrl, secrets)));
      separator = ',\n';
    },
    finish: () => {
      file.write('\n]}}\n');
    },
  };
};

function entryOf(
  { operation, testCase, request, response, startedAt, durationMs, failed }: Observation,
  baseUrl: string,
  secrets: readonly Secret[],
) {
  const hide = (text: string): string => hideSecrets(text, secrets);
  const query = request.target.split('?').slice(1).join('?');
  const contentType = valuesOf(request.headers, 'content-type')[0] ?? '';
  const { text: bodyText, encoding } = textOf(request.body ?? Buffer.alloc(0), hide);
  const answer = response ?? { status: 0, headers: [], body: Buffer.alloc(0) };
  return {
    startedDateTime: startedAt.toISOString(),
    time: durationMs,
    request: {
      method: request.method,
      url: hide(new URL(baseUrl).origin + request.target),
      httpVersion: HTTP,
      cookies: valuesOf(request.headers, 'cookie').flatMap((text) => hide(text).split('; ').map(pairOf)),
      headers: namesAndValues(request.headers, hide),
      queryString: query === '' ? [] : hide(query).split('&').map(pairOf),
      // HAR 1.2 has an encoding for responses only.
      ...(request.body !== undefined && {
        postData: { mimeType: contentType, text: bodyText, ...(encoding !== undefined && { _encoding: encoding }) },
      }),
      headersSize: UNKNOWN,
      bodySize: request.body?.length ?? 0,
    },
    response: {
      status: answer.status,
      statusText: '',
      httpVersion: HTTP,
      cookies: valuesOf(answer.headers, 'set-cookie').map((text) => pairOf(hide(text).replace(/;.*/s, ''))),
      headers: namesAndValues(answer.headers, hide),
      content: {
        size: answer.body.length,
        mimeType: valuesOf(answer.headers, 'content-type')[0] ?? '',
        ...textOf(answer.body, hide),
      },
      redirectURL: hide(valuesOf(answer.headers, 'location')[0] ?? ''),
      headersSize: UNKNOWN,
      bodySize: answer.body.length,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    // Names that HAR does not define start with an underscore.
    _operation: operation.operationId,
    _kind: testCase.kind,
    _description: testCase.description,
    _failures: failed.map(({ check, message }) => ({ check, message: hide(message) })),
  };
}

/** Returns bytes as text; as base64 if they are not UTF-8. */
function textOf(
  bytes: Buffer,
  hide: (text: string) => string,
): { readonly text: string; readonly encoding?: 'base64' } {
  const text = bytes.toString();
  if (Buffer.from(text).equals(bytes)) return { text: hide(text) };
  return { text: Buffer.from(hide(bytes.toString('latin1')), 'latin1').toString('base64'), encoding: 'base64' };
}

function valuesOf(headers: Pairs, wanted: string): readonly string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}

function namesAndValues(headers: Pairs, hide: (text: string) => string): readonly NameValue[] {
  return headers.map(([name, value]) => ({ name, value: hide(value) }));
}

function pairOf(text: string): NameValue {
  const [name = '', ...rest] = text.split('=');
  return { name, value: rest.join('=') };
}
