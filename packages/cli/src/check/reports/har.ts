import { isUtf8 } from 'node:buffer';
import type { Observation } from '../judgement/observation.ts';
import { hideSecrets, type Secret } from '../../requests/secrets.ts';
import { excerptOf, type Excerpt, type KeptResponse } from '../../requests/wire-response.ts';
import type { CreateReport } from './run-report.ts';

type NameValue = { readonly name: string; readonly value: string };
type Pairs = readonly (readonly [name: string, value: string])[];

const CREATOR = { name: 'contract', version: '1' };
const HTTP = 'HTTP/1.1';
const UNKNOWN = -1; // As HAR says for sizes.
const NOTHING = Buffer.alloc(0);
const NO_RESPONSE: Pick<KeptResponse, 'status' | 'headers' | 'body'> = {
  ...{ status: 0, headers: [] },
  body: excerptOf(NOTHING),
};

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
  const { text: bodyText, encoding, comment } = textOf(excerptOf(request.body ?? NOTHING), hide);
  const { status, headers, body } = response ?? NO_RESPONSE;
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
        postData: {
          ...{ mimeType: contentType, text: bodyText, ...(comment !== undefined && { comment }) },
          ...(encoding !== undefined && { _encoding: encoding }),
        },
      }),
      headersSize: UNKNOWN,
      bodySize: request.body?.length ?? 0,
    },
    response: {
      status,
      statusText: '',
      httpVersion: HTTP,
      cookies: valuesOf(headers, 'set-cookie').map((text) => pairOf(hide(text).replace(/;.*/s, ''))),
      headers: namesAndValues(headers, hide),
      content: {
        size: body.totalBytes,
        mimeType: valuesOf(headers, 'content-type')[0] ?? '',
        ...textOf(body, hide),
      },
      redirectURL: hide(valuesOf(headers, 'location')[0] ?? ''),
      headersSize: UNKNOWN,
      bodySize: body.totalBytes,
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

/** Returns bytes as text; as base64 if they are not UTF-8. A comment has the number of those that are omitted. */
function textOf(
  { bytes, totalBytes }: Excerpt,
  hide: (text: string) => string,
): { readonly text: string; readonly encoding?: 'base64'; readonly comment?: string } {
  const omitted = totalBytes - bytes.length;
  const more = omitted > 0 ? { comment: `${String(omitted)} more bytes` } : {};
  if (isUtf8(bytes)) return { text: hide(bytes.toString()), ...more };
  const text = Buffer.from(hide(bytes.toString('latin1')), 'latin1').toString('base64');
  return { text, encoding: 'base64', ...more };
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
