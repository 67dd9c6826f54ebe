import type { ApiOperation } from '../operations/api-operation.ts';
import { badCredentials } from './bad-credentials.ts';
import { sentMediaType } from '../operations/body-bytes.ts';
import { fixedCase, type Case } from './case.ts';
import { alternativeCredentials, credentialsFor, respelledCredentials, type Tokens } from '../requests/credentials.ts';
import { malformedBodies } from './malformed-bodies.ts';
import type { MalformedBody } from './malformed-body.ts';
import { withBody, writeRequest, type RequestInput } from '../requests/wire-request.ts';

/** Generates requests with wrong credentials; also invalid ones, as 401 comes before 400. */
export function* rejectedCredentials(
  operation: ApiOperation,
  plainInputs: readonly RequestInput[],
  tokens: Tokens,
  token: string,
): Generator<Case> {
  const [first] = plainInputs;
  if (first === undefined) return;
  for (const { fault, credentials } of badCredentials(operation, tokens)) {
    yield* fixedCase('no authentication', fault, writeRequest(operation, first, credentials));
  }
  const inPath = first.parameters.filter(({ parameter }) => parameter.in === 'path');
  const incomplete = writeRequest(operation, { ...first, parameters: inPath }, []);
  yield* fixedCase('no authentication', 'no credentials and no parameters', incomplete);
  const sent = plainInputs.find(({ body }) => body !== undefined);
  const bare = sent && writeRequest(operation, sent, []);
  if (sent === undefined || bare === undefined) return;
  const bodies = malformedBodies(operation, sent);
  const [mistyped, malformed] = [true, false].map((isMistyped) =>
    bodies.find(({ fault }) => fault.startsWith('sent as') === isMistyped),
  );
  const contentType = sentMediaType(sent.body?.content.mediaType ?? '');
  const inForm = `access_token=${encodeURIComponent(token)}`;
  const added: readonly MalformedBody[] = [
    { kind: 'negative', fault: 'an empty object', contentType, bytes: Buffer.from('{}') },
    {
      ...{ kind: 'negative', fault: 'the token in the body', contentType: 'application/x-www-form-urlencoded' },
      bytes: Buffer.from(inForm),
    },
  ];
  for (const body of [mistyped, malformed, ...added]) {
    if (body === undefined) continue;
    yield* fixedCase('no authentication', `no credentials and ${body.fault}`, withBody(bare, body));
  }
}

/** Generates requests with valid credentials in their other forms. */
export function* acceptedCredentials(operation: ApiOperation, first: RequestInput, tokens: Tokens): Generator<Case> {
  for (const credentials of alternativeCredentials(operation, tokens)) {
    const places = credentials.map(({ in: location, name }) => `${name} in the ${location}`).join(' and ');
    yield* fixedCase('positive', `credentials by ${places}`, writeRequest(operation, first, credentials));
  }
  const [usual] = fixedCase('positive', 'positive', writeRequest(operation, first, credentialsFor(operation, tokens)));
  for (const credentials of respelledCredentials(operation, tokens)) {
    const request = writeRequest(operation, first, credentials);
    for (const spelled of fixedCase('positive', 'the scheme in another case', request)) yield { ...spelled, usual };
  }
}
