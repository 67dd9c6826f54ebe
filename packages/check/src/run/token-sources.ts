import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { CannotCheck } from '@contract-first/model/values';
import type { FetchToken } from './renewal.ts';

/** A client of an OAuth 2.0 server. */
export type Client = { readonly id: string; readonly secret: string };

const LIMIT_MS = 30_000;

/** Returns a function that runs a command of the shell and returns the line that it prints. */
export function tokenOfCommand(command: string): FetchToken {
  return async () => {
    const child = spawn(command, { shell: true, stdio: ['ignore', 'pipe', 'inherit'], timeout: LIMIT_MS });
    const closed = once(child, 'close') as Promise<[number | null]>; // The exit code; none after a signal.
    const [output, [code]] = await Promise.all([text(child.stdout), closed]);
    if (code !== 0)
      throw new CannotCheck(`--token-command failed: exit code ${String(code ?? 'none, as it was killed')}`);
    return asToken(output.trim(), '--token-command must print a token: one line of ASCII without spaces');
  };
}

/** Returns a function that fetches a token for a client (RFC 6749, 4.4). */
export function tokenOfClient(tokenUrl: URL, { id, secret }: Client, scopes: readonly string[]): FetchToken {
  const form = new URLSearchParams({ grant_type: 'client_credentials' });
  if (scopes.length > 0) form.set('scope', scopes.join(' '));
  const pair = [id, secret].map((part) => new URLSearchParams([[part, '']]).toString().slice(0, -1)).join(':');
  const headers = { authorization: `Basic ${Buffer.from(pair).toString('base64')}`, accept: 'application/json' };
  return async () => {
    const options = { method: 'POST', headers, body: form, redirect: 'error' } as const;
    const response = await fetch(tokenUrl, { ...options, signal: AbortSignal.timeout(LIMIT_MS) }).catch(
      (error: unknown) => {
        const { cause = error } = error as Error; // Nothing else is thrown. Its own message is "fetch failed".
        throw new CannotCheck(`${tokenUrl.href} gives no token: ${(cause as Error).message}`);
      },
    );
    const json: unknown = await response.json().catch(() => undefined);
    const { access_token: token, error } = Object(json) as { access_token?: unknown; error?: unknown }; // Any value.
    const code = typeof error === 'string' && /^[a-z_]+$/.test(error) ? ` (${error})` : ''; // RFC 6749, 5.2.
    return asToken(token, `${tokenUrl.href} gives no token: status ${String(response.status)}${code}`);
  };
}

function asToken(value: unknown, problem: string): string {
  if (typeof value === 'string' && /^[!-~]+$/.test(value)) return value;
  throw new CannotCheck(problem);
}
