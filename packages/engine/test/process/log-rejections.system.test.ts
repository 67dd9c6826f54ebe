import { openRawConnection } from '@contract-first/testing/connection.ts';
import { createKey, inSeconds, signToken, startIssuer } from '@contract-first/testing/issuer.ts';
import { startServiceProcess, type ServiceProcess } from '@contract-first/testing/service.ts';

const TEMPLATE = '/guests';

/** Sends a creation with an id. Returns the log entry of its rejection at debug level. */
async function reject(
  service: ServiceProcess,
  requestId: string,
  headers: Readonly<Record<string, string>>,
): Promise<Record<string, unknown>> {
  const all = { 'Content-Type': 'application/json', 'X-Request-Id': requestId, ...headers };
  await fetch(`${service.url}${TEMPLATE}`, { method: 'POST', headers: all, body: '{"id":"x"}' });
  return findRejection(service, requestId);
}

async function findRejection(
  { waitForOutput, output }: ServiceProcess,
  requestId: string,
): Promise<Record<string, unknown>> {
  await waitForOutput(`"requestId":"${requestId}"`);
  const lines = output()
    .split('\n')
    .filter((line) => line.includes('request rejected'));
  const found = lines.find((line) => line.includes(`"requestId":"${requestId}"`));
  return JSON.parse(found ?? '{}') as Record<string, unknown>;
}

test('at debug level, the log has the reason of a 400 and a 404, with the request id', async () => {
  const service = await startServiceProcess({ LOG_LEVEL: 'debug' });
  expect(await reject(service, 'r1', { Authorization: `Bearer ${service.token}` })).toEqual({
    level: 20,
    time: expect.any(Number),
    requestId: 'r1',
    operationId: 'createGuest',
    status: 400,
    reason: expect.stringContaining('body/id'),
    msg: 'request rejected',
  });
  await fetch(`${service.url}/nothing?secret=x`, { headers: { 'X-Request-Id': 'r2' } });
  expect(await findRejection(service, 'r2')).toMatchObject({ status: 404, reason: 'this path does not exist' });
  expect(service.output()).not.toContain('secret');
});

test('at debug level, the log has the reason of a 400 to a message that is not HTTP', async () => {
  const service = await startServiceProcess({ LOG_LEVEL: 'debug' });
  const connection = await openRawConnection(service.url);
  connection.write('GARBAGE\r\n\r\n');
  const [, requestId = ''] = /\r\nx-request-id: (.*)\r\n/.exec(await connection.closed()) ?? [];
  const reason = expect.stringContaining('not valid HTTP/1.1');
  expect(await findRejection(service, requestId)).toMatchObject({ status: 400, reason });
});

test('at debug level, the log has the kind of reason of a 401, without the credentials', async () => {
  const [key, stranger] = await Promise.all([createKey('ES256', 'known'), createKey('ES256', 'known')]);
  const issuer = await startIssuer(key);
  const service = await startServiceProcess({ LOG_LEVEL: 'debug', ...issuer.env });
  const kinds: readonly (readonly [authorization: string | undefined, reason: string])[] = [
    [undefined, 'no Authorization header, or several'],
    ['Basic c2VjcmV0', 'the Authorization header is not Bearer with one token'],
    ['Bearer two tokens', 'the Authorization header is not Bearer with one token'],
    ['Bearer some-token', 'neither a known token nor a valid JSON Web Token'],
    [`Bearer ${'x'.repeat(9_000)}`, 'the token is too long'],
    [`Bearer ${await signToken(key, { exp: inSeconds(-60) })}`, 'the JSON Web Token has expired'],
    [`Bearer ${await signToken(key, { nbf: inSeconds(60) })}`, 'the JSON Web Token has an invalid nbf'],
    [`Bearer ${await signToken(key, { aud: 'other' })}`, 'the JSON Web Token has an invalid aud'],
    [`Bearer ${await signToken(key, { sub: '' })}`, 'the JSON Web Token has an invalid sub'],
    [`Bearer ${await signToken(key, {}, { kid: 'other' })}`, 'the JWKS has no key for the JSON Web Token'],
    [`Bearer ${await signToken(stranger)}`, 'the signature of the JSON Web Token is invalid'],
  ];
  for (const [index, [authorization, reason]] of kinds.entries()) {
    const headers = authorization === undefined ? {} : { Authorization: authorization };
    const rejection = await reject(service, `r${String(index)}.`, headers);
    expect(rejection).toMatchObject({ status: 401, operationId: 'createGuest', reason: `bearerAuth: ${reason}` });
    if (authorization !== undefined) expect(service.output()).not.toContain(authorization.split(' ')[1]);
  }
});

test('at the default level, the log has no reasons', async () => {
  const service = await startServiceProcess();
  await fetch(`${service.url}/nothing`);
  await service.waitForOutput('"status":404');
  expect(service.output()).not.toContain('request rejected');
});
