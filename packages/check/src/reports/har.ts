import { isUtf8 } from 'node:buffer';
import { type Excerpt, excerptOf, type KeptResponse, type Redactor } from '@contract-first/model/requests';
import type { Observation } from '../judgement/observation.ts';
import type { CreateReport } from './run-report.ts';

type NameValue = { readonly name: string; readonly value: string };
type Pairs = readonly (readonly [name: string, value: string])[];

const CREATOR = { name: 'contract', version: '1' };
const HTTP = 'HTTP/1.1';
const UNKNOWN = -1; // For sizes, as defined by HAR.
const NOTHING = Buffer.alloc(0);
const NO_RESPONSE: Pick<KeptResponse, 'status' | 'headers' | 'body'> = {
  status: 0,
  headers: [],
  body: excerptOf(NOTHING),
};

/** Writes every request to an HTTP archive (HAR 1.2). */
export const createHar: CreateReport = (file, { baseUrl, redactor }) => {
  let separator = '\n';
  file.write(`{"log":{"version":"1.2","creator":${JSON.stringify(CREATOR)},"entries":[`);
  return {
    observe(observation) {
      file.write(separator + JSON.stringify(entryOf(observation, baseUrl, redactor)));
      separator = ',\n';
    },
    finish: () => {
      file.write('\n]}}\n');
    },
  };
};

function entryOf(
  { operation, testCase, request: sent, response: received, startedAt, durationMs, failed }: Observation,
  baseUrl: string,
  redactor: Redactor | undefined,
) {
  const request = redactor?.request(sent) ?? sent;
  const response = received && (redactor?.response(received) ?? received);
  const query = request.target.split('?').slice(1).join('?');
  const contentType = valuesOf(request.headers, 'content-type')[0] ?? '';
  const { text: bodyText, encoding, comment } = textOf(excerptOf(request.body ?? NOTHING));
  const { status, headers, body } = response ?? NO_RESPONSE;
  return {
    startedDateTime: startedAt.toISOString(),
    time: durationMs,
    request: {
      method: request.method,
      url: new URL(baseUrl).origin + request.target,
      httpVersion: HTTP,
      cookies: valuesOf(request.headers, 'cookie').flatMap((text) => text.split('; ').map(pairOf)),
      headers: namesAndValues(request.headers),
      queryString: query === '' ? [] : query.split('&').map(pairOf),
      // HAR 1.2 defines an encoding only for responses.
      ...(request.body !== undefined && {
        postData: {
          mimeType: contentType,
          text: bodyText,
          ...(comment !== undefined && { comment }),
          ...(encoding !== undefined && { _encoding: encoding }),
        },
      }),
      headersSize: UNKNOWN,
      bodySize: sent.body?.length ?? 0,
    },
    response: {
      status,
      statusText: '',
      httpVersion: HTTP,
      cookies: valuesOf(headers, 'set-cookie').map((text) => pairOf(text.replace(/;.*/s, ''))),
      headers: namesAndValues(headers),
      content: {
        size: body.totalBytes,
        mimeType: valuesOf(headers, 'content-type')[0] ?? '',
        ...textOf(body),
      },
      redirectURL: valuesOf(headers, 'location')[0] ?? '',
      headersSize: UNKNOWN,
      bodySize: body.totalBytes,
    },
    cache: {},
    timings: { send: 0, wait: durationMs, receive: 0 },
    // Names that HAR does not define start with an underscore.
    _operation: operation.operationId,
    _kind: testCase.kind,
    _description: testCase.description,
    _failures: failed.map(({ check, message }) => ({ check, message })),
  };
}

/** Encodes bytes as UTF-8 text, or else as base64. A comment has the number of omitted bytes. */
function textOf({ bytes, totalBytes }: Excerpt): {
  readonly text: string;
  readonly encoding?: 'base64';
  readonly comment?: string;
} {
  const omitted = totalBytes - bytes.length;
  const more = omitted > 0 ? { comment: `${String(omitted)} more bytes` } : {};
  if (isUtf8(bytes)) return { text: bytes.toString(), ...more };
  return { text: bytes.toString('base64'), encoding: 'base64', ...more };
}

function valuesOf(headers: Pairs, wanted: string): readonly string[] {
  return headers.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}

function namesAndValues(headers: Pairs): readonly NameValue[] {
  return headers.map(([name, value]) => ({ name, value }));
}

function pairOf(text: string): NameValue {
  const [name = '', ...rest] = text.split('=');
  return { name, value: rest.join('=') };
}
