import { exportSPKI, importJWK, SignJWT, UnsecuredJWT } from 'jose';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { createGzip } from 'node:zlib';
import pino from 'pino';
import { KeysUnavailable } from '../../src/auth/credentials.ts';
import { createJwtVerifier } from '../../src/auth/jwt.ts';
import { createKeySet, type KeySetOptions } from '../../src/auth/key-set.ts';
import {
  AUDIENCE,
  createKey,
  inSeconds,
  ISSUER,
  signToken,
  startIssuer,
  type Issuer,
  type IssuerKey,
} from '@contract-first/testing/issuer.ts';
import { cleanUp } from '@contract-first/testing/cleanup.ts';
import { until } from '@contract-first/testing/until.ts';

const QUICK: KeySetOptions = { refreshIntervalMs: 60_000, cooldownMs: 200, timeoutMs: 20_000, limitBytes: 1_048_576 };
// For an endpoint that hangs. A fetch from a working endpoint must succeed within this time, even on a busy machine.
const IMPATIENT: KeySetOptions = { ...QUICK, timeoutMs: 1_500 };

const SILENT = pino({ level: 'silent' });

const MEBIBYTE = Buffer.alloc(1_048_576, ' ');

/** Returns a JWKS without keys that is a little larger than the given size. */
function largeKeySet(mebibytes: number): Readable {
  return Readable.from(['{"keys":[]', ...Array<Buffer>(mebibytes).fill(MEBIBYTE), '}'], { objectMode: false });
}

/** Ways to send a large JWKS. */
const LARGE: Readonly<Record<string, (res: ServerResponse, mebibytes: number) => void>> = {
  'in chunks': (res, mebibytes) => largeKeySet(mebibytes).pipe(res),
  'with its Content-Length': (res, mebibytes) => {
    res.setHeader('Content-Length', mebibytes * MEBIBYTE.length + 11);
    largeKeySet(mebibytes).pipe(res);
  },
  compressed: (res, mebibytes) => {
    res.setHeader('Content-Encoding', 'gzip');
    largeKeySet(mebibytes).pipe(createGzip()).pipe(res);
  },
};

/** Returns a signal that is aborted when the test ends, since another server may reuse the port of a stopped issuer. */
function untilEnd(): AbortSignal {
  const controller = new AbortController();
  cleanUp(() => {
    controller.abort();
  });
  return controller.signal;
}

describe('a JSON Web Token', () => {
  let rsa: IssuerKey, ec: IssuerKey, ed: IssuerKey;
  let issuer: Issuer;
  let check: (token: string) => Promise<string | undefined>;
  let refusalOf: (token: string) => Promise<string | undefined>;
  const use = (verify: ReturnType<typeof createJwtVerifier>): void => {
    check = async (token) => {
      const result = await verify(token);
      return 'name' in result ? result.name : undefined;
    };
    refusalOf = async (token) => {
      const result = await verify(token);
      return 'refusal' in result ? result.refusal : undefined;
    };
  };

  beforeAll(async () => {
    [rsa, ec, ed] = await Promise.all([createKey('RS256', 'rsa'), createKey('ES256', 'ec'), createKey('EdDSA', 'ed')]);
  });

  const start = (...keys: readonly IssuerKey[]): Promise<void> => startWith(QUICK, ...keys);
  const startWith = async (options: KeySetOptions, ...keys: readonly IssuerKey[]): Promise<void> => {
    issuer = await startIssuer(...keys);
    const settings = { issuer: ISSUER, audience: AUDIENCE, jwksUrl: new URL(issuer.env.JWT_JWKS_URL) };
    use(createJwtVerifier(settings, createKeySet(settings.jwksUrl, SILENT, untilEnd(), options)));
  };

  test.each<[string, () => Promise<string>]>([
    ['RS256', () => signToken(rsa)],
    ['ES256', () => signToken(ec)],
    ['EdDSA', () => signToken(ed)],
    ['Ed25519, the name that EdDSA has now', () => signToken(ed, {}, { alg: 'Ed25519' })],
    ['one of several audiences', () => signToken(ec, { aud: ['other', AUDIENCE] })],
    ['expired within the clock skew', () => signToken(ec, { exp: inSeconds(-25) })],
    ['not yet valid, within the clock skew', () => signToken(ec, { nbf: inSeconds(25) })],
    ['typ JWT', () => signToken(ec, {}, { typ: 'JWT' })],
    ['typ at+jwt', () => signToken(ec, {}, { typ: 'application/at+JWT' })],
    ['no kid, and one key that fits', () => signToken(ec, {}, { kid: undefined })],
  ])('identifies the caller sub: %s', async (_name, sign) => {
    await start(rsa, ec, { ...ed, jwk: without(ed.jwk, 'alg') });
    expect(await check(await sign())).toBe('alice');
  });

  test('identifies the caller sub when several keys match, by kid or without kid, even beside an invalid key', async () => {
    const [second, third] = [await createKey('ES256', 'ec'), await createKey('ES256', 'other')];
    const broken = { ...ec, jwk: { ...ec.jwk, x: 'AQAB' } };
    await start(broken, ec, second, third);
    for (const key of [ec, second, third]) {
      expect(await check(await signToken(key))).toBe('alice');
      expect(await check(await signToken(key, {}, { kid: undefined }))).toBe('alice');
    }
  });

  test.each<[string, () => Promise<string>, string]>([
    [
      'signed by a stranger',
      async () => signToken(await createKey('ES256', 'ec'), {}, { kid: undefined }),
      'no key of the JWKS verifies the signature of the JSON Web Token',
    ],
    ['expired', () => signToken(ec, { exp: inSeconds(-35) }, { kid: undefined }), 'the JSON Web Token has expired'],
    [
      'of another issuer',
      () => signToken(ec, { iss: 'x' }, { kid: undefined }),
      'the JSON Web Token has an invalid iss',
    ],
    [
      'with an unknown critical header',
      withCriticalHeader,
      'the JSON Web Token or its key has a feature that is not supported',
    ],
  ])('is rejected with the reason when several keys match: %s', async (_name, sign, refusal) => {
    const second = await createKey('ES256', 'second');
    await start(second, ec);
    expect(await refusalOf(await sign())).toBe(refusal);
  });

  test.each<[string, () => Promise<string>]>([
    ['expired', () => signToken(ec, { exp: inSeconds(-35) })],
    ['not yet valid', () => signToken(ec, { nbf: inSeconds(35) })],
    ['without exp', () => signToken(ec, { exp: undefined })],
    ['exp a text', () => signToken(ec, { exp: '9999999999' })],
    ['of another issuer', () => signToken(ec, { iss: 'https://issuer.example' })],
    ['without an issuer', () => signToken(ec, { iss: undefined })],
    ['for another audience', () => signToken(ec, { aud: 'guests2' })],
    ['for no audience', () => signToken(ec, { aud: undefined })],
    ['without sub', () => signToken(ec, { sub: undefined })],
    ['with an empty sub', () => signToken(ec, { sub: '' })],
    ['sub a number', () => signToken(ec, { sub: 7 })],
    ['for another purpose, by typ', () => signToken(ec, {}, { typ: 'logout+jwt' })],
    ['with an unknown kid', () => signToken(ec, {}, { kid: 'other' })],
    ['with the kid of another key', () => signToken(ec, {}, { kid: 'rsa' })],
    [
      'signed by a stranger without a kid',
      async () => signToken(await createKey('ES256', 'x'), {}, { kid: undefined }),
    ],
    ['signed by a stranger under a known kid', async () => signToken(await createKey('ES256', 'ec'))],
    [
      'signed by a stranger who brings the key along',
      async () => {
        const stranger = await createKey('ES256', 'ec');
        return signToken(stranger, {}, { jwk: stranger.jwk });
      },
    ],
    ['with another payload', async () => replacePart(await signToken(ec), 1, { ...CLAIMS, sub: 'bob' })],
    ['alg none', async () => new UnsecuredJWT(CLAIMS).setExpirationTime('1m').encode()],
    ['alg none, with the signature of another', async () => replacePart(await signToken(ec), 0, { alg: 'none' })],
    ['HS256 with the public key as the secret', hmacWithPublicKey],
    ['an unknown critical header', withCriticalHeader],
    ['text in three parts', async () => 'a.b.c'],
    ['encrypted', async () => 'e30.e30.e30.e30.e30'],
  ])('is rejected: %s', async (_name, sign) => {
    await start(rsa, { ...rsa, jwk: { ...rsa.jwk, kid: 'rsa2' } }, ec);
    expect(await check(await sign())).toBeUndefined();
  });

  const CLAIMS = { iss: ISSUER, aud: AUDIENCE, sub: 'alice', exp: inSeconds(600) };

  async function withCriticalHeader(): Promise<string> {
    const header = { alg: ec.alg, kid: ec.kid, crit: ['nope'], nope: true };
    return new SignJWT(CLAIMS).setProtectedHeader(header).sign(ec.privateKey, { crit: { nope: true } });
  }

  async function hmacWithPublicKey(): Promise<string> {
    const publicKey = await importJWK(rsa.jwk, 'RS256', { extractable: true });
    if (publicKey instanceof Uint8Array) throw new Error('a public key is not a secret');
    const secret = new TextEncoder().encode(await exportSPKI(publicKey));
    return new SignJWT(CLAIMS).setProtectedHeader({ alg: 'HS256', kid: 'rsa' }).sign(secret);
  }

  test('a new key is used with the first token that it signs, and an old key is dropped by the next fetch', async () => {
    await start(ec);
    expect(await check(await signToken(ec))).toBe('alice');
    issuer.publish(ed);
    expect(await check(await signToken(ec))).toBe('alice');
    await until(async () => check(await signToken(ed)), 'alice'); // After the cooldown.
    expect(await check(await signToken(ec))).toBeUndefined();
  });

  test.each<[string, Readonly<Record<string, unknown>>]>([
    ['the kid of the old key', {}],
    ['no kid', { kid: undefined }],
  ])('a new key with %s is used with the first token that it signs', async (_name, header) => {
    const renewed = await createKey('ES256', 'ec');
    await start(ec);
    expect(await check(await signToken(ec, {}, header))).toBe('alice');
    issuer.publish(renewed);
    await until(async () => check(await signToken(renewed, {}, header)), 'alice'); // After the cooldown.
  });

  test('an old key is dropped after a while, even if no token has an unknown key', async () => {
    issuer = await startIssuer(ec);
    const keys = createKeySet(new URL(issuer.env.JWT_JWKS_URL), SILENT, untilEnd(), {
      ...QUICK,
      refreshIntervalMs: 100,
    });
    use(createJwtVerifier({ issuer: ISSUER, audience: AUDIENCE, jwksUrl: new URL(issuer.env.JWT_JWKS_URL) }, keys));
    expect(await check(await signToken(ec))).toBe('alice');
    issuer.publish(ed);
    await until(async () => check(await signToken(ec)), undefined);
    issuer.stop();
  });

  test('a stopping service verifies tokens with its current keys, and does not fetch', async () => {
    issuer = await startIssuer(ec);
    const stopping = new AbortController();
    const url = new URL(issuer.env.JWT_JWKS_URL);
    const keys = createKeySet(url, SILENT, stopping.signal, { ...QUICK, refreshIntervalMs: 20 });
    use(createJwtVerifier({ issuer: ISSUER, audience: AUDIENCE, jwksUrl: url }, keys));
    await until(() => issuer.requests() > 2, true);
    stopping.abort();
    await fetch(url); // Earlier fetches arrive before this fetch.
    const requests = issuer.requests();
    await sleep(200);
    expect(issuer.requests()).toBe(requests);
    expect(await check(await signToken(ec))).toBe('alice');
  });

  test('a flood of unknown kids causes one fetch per cooldown', async () => {
    await start(ec);
    expect(await check(await signToken(ec))).toBe('alice');
    const token = await signToken(ec, {}, { kid: 'other' });
    const startedAt = performance.now();
    for (let round = 0; round < 50; round += 1) {
      const flood = Array.from({ length: 20 }, () => check(token));
      expect(new Set(await Promise.all(flood))).toEqual(new Set([undefined]));
      await sleep(10);
    }
    const pauses = Math.floor((performance.now() - startedAt) / QUICK.cooldownMs);
    expect(issuer.requests()).toBeGreaterThan(1);
    expect(issuer.requests()).toBeLessThanOrEqual(2 + pauses);
  });

  const FAILURES: [string, () => void][] = [
    [
      'down',
      () => {
        issuer.stop();
      },
    ],
    [
      'hanging',
      () => {
        issuer.answer(() => undefined);
      },
    ],
    [
      'hanging in the middle',
      () => {
        issuer.answer((_req, res) => {
          res.write('{"keys":');
        });
      },
    ],
    [
      'answering 500',
      () => {
        issuer.answer((_req, res) => {
          res.writeHead(500).end('{"keys":[]}');
        });
      },
    ],
    [
      'answering HTML',
      () => {
        issuer.answer((_req, res) => {
          res.end('<html></html>');
        });
      },
    ],
    [
      'answering other JSON',
      () => {
        issuer.answer((_req, res) => {
          res.end('{"keys":{}}');
        });
      },
    ],
    [
      'redirecting',
      () => {
        issuer.answer((_req, res) => {
          res.writeHead(302, { Location: '/' }).end();
        });
      },
    ],
    ...Object.entries(LARGE).map(([name, send]): [string, () => void] => [
      `answering with 2 MiB, ${name}`,
      () => {
        issuer.answer((_req, res) => {
          send(res, 2);
        });
      },
    ]),
  ];

  test.each(Object.entries(LARGE))('a JWKS of 128 MiB, %s, is not read to its end', async (_name, send) => {
    issuer = await startIssuer();
    const { promise: isComplete, resolve } = Promise.withResolvers<boolean>();
    issuer.answer((_req, res) => {
      res.once('close', () => {
        resolve(res.writableFinished);
      });
      send(res, 128);
    });
    const lines: string[] = [];
    const log = pino({}, { write: (line: string) => void lines.push(line) });
    const keys = createKeySet(new URL(issuer.env.JWT_JWKS_URL), log, untilEnd());
    await expect(keys({ alg: 'ES256' }, { payload: '', signature: '' })).rejects.toThrow(KeysUnavailable);
    expect(lines.join('')).toMatch(/"the JWKS is larger than 1048576 bytes".*"cannot fetch the JWKS"/);
    expect(await isComplete).toBe(false);
  });

  describe.each(FAILURES)('with the endpoint %s', (name, fail) => {
    test('known keys stay valid, and a token with an unknown key is rejected', async () => {
      await startWith(IMPATIENT, ec);
      expect(await check(await signToken(ec))).toBe('alice');
      fail();
      await sleep(QUICK.cooldownMs);
      expect(await check(await signToken(ed))).toBeUndefined();
      expect(await check(await signToken(ec))).toBe('alice');
    });

    test('and no known keys: tokens cannot be checked until the keys are fetched', async () => {
      issuer = await startIssuer();
      fail();
      const jwksUrl = new URL(issuer.env.JWT_JWKS_URL);
      const lines: string[] = [];
      const log = pino({}, { write: (line: string) => void lines.push(line) });
      use(
        createJwtVerifier(
          { issuer: ISSUER, audience: AUDIENCE, jwksUrl },
          createKeySet(jwksUrl, log, untilEnd(), IMPATIENT),
        ),
      );
      const token = await signToken(ec);
      await expect(check(token)).rejects.toThrow(KeysUnavailable);
      // A token that is invalid under any key is still rejected.
      expect(await check('no token')).toBeUndefined();
      expect(await check(new UnsecuredJWT(CLAIMS).encode())).toBeUndefined();
      await sleep(3 * QUICK.cooldownMs);
      await expect(check(token)).rejects.toThrow(KeysUnavailable);
      expect(lines.filter((line) => line.includes('cannot fetch the JWKS'))).toHaveLength(1);
      if (name === 'down') return;
      issuer.publish(ec);
      await until(() => check(token).catch(() => undefined), 'alice');
      expect(lines.join('')).toContain('fetched the JWKS again');
      expect(lines.join('')).not.toContain(token);
    });
  });
});

function without<Value extends object>(value: Value, name: keyof Value): Value {
  return { ...value, [name]: undefined };
}

/** Returns the token with a different value in one of its parts. */
function replacePart(token: string, part: number, value: unknown): string {
  return token
    .split('.')
    .with(part, Buffer.from(JSON.stringify(value)).toString('base64url'))
    .join('.');
}
