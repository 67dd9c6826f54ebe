import { exportJWK, generateKeyPair, SignJWT, type CryptoKey, type JWK } from 'jose';
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { cleanUp } from './cleanup.ts';

/** An issuer's key pair. */
export type IssuerKey = {
  readonly alg: string;
  readonly kid: string;
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
};

/** An issuer of JSON Web Tokens with a JWKS endpoint. */
export type Issuer = {
  readonly env: Readonly<Record<'JWT_ISSUER' | 'JWT_AUDIENCE' | 'JWT_JWKS_URL', string>>;
  /** Returns the number of requests for the keys. */
  readonly requests: () => number;
  /** Replaces the published keys. */
  readonly publish: (...keys: readonly IssuerKey[]) => void;
  /** Replaces the response of the endpoint. */
  readonly answer: (listener: RequestListener) => void;
  /** Closes the server and every connection. */
  readonly stop: () => void;
};

export const ISSUER = 'https://issuer.example/';
export const AUDIENCE = 'guests';

/** Generates a key pair for an algorithm. */
export async function createKey(alg: string, kid: string): Promise<IssuerKey> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true });
  return { alg, kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

/** Starts the endpoint of an issuer. Closes it when the test ends. */
export async function startIssuer(...keys: readonly IssuerKey[]): Promise<Issuer> {
  let requests = 0;
  let listener: RequestListener;
  const publish = (...published: readonly IssuerKey[]): void => {
    listener = (_req, res) => void res.end(JSON.stringify({ keys: published.map(({ jwk }) => jwk) }));
  };
  publish(...keys);
  const server = createServer((req, res) => {
    requests += 1;
    listener(req, res);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const stop = (): void => {
    server.close();
    server.closeAllConnections();
  };
  cleanUp(stop);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${String(port)}/jwks.json`;
  return {
    env: { JWT_ISSUER: ISSUER, JWT_AUDIENCE: AUDIENCE, JWT_JWKS_URL: url },
    requests: () => requests,
    publish,
    answer: (other) => void (listener = other),
    stop,
  };
}

/**
 * Signs a token that is valid for a minute. `claims` and `header` override the defaults; `undefined` removes a member.
 */
export async function signToken(
  key: IssuerKey,
  claims: Readonly<Record<string, unknown>> = {},
  header: Readonly<Record<string, unknown>> = {},
): Promise<string> {
  const payload = { iss: ISSUER, aud: AUDIENCE, sub: 'alice', exp: inSeconds(60), ...claims };
  return new SignJWT(payload).setProtectedHeader({ alg: key.alg, kid: key.kid, ...header }).sign(key.privateKey);
}

/** Returns the time in a number of seconds, as seconds since 1970, for JSON Web Tokens. */
export function inSeconds(seconds: number): number {
  return Math.floor(Date.now() / 1000) + seconds;
}
