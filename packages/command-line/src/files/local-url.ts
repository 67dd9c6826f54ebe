const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
const FETCH_MS = 10_000;

/** Returns whether a document name is a URL. */
export function isUrl(name: string): boolean {
  return /^https?:/.test(name);
}

/**
 * Fetches a URL of the local machine. Rejects other hosts, so that commands do not depend on the network.
 *
 * @throws an error with the reason
 */
export async function fetchLocal(url: string): Promise<string> {
  const { protocol, hostname } = new URL(url);
  if (protocol !== 'http:' || !LOOPBACK.test(hostname)) throw new Error(`${url} is not an http URL of this machine`);
  const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(FETCH_MS) }).catch(
    (error: unknown) => {
      const { cause = error } = error as Error; // The message itself is only "fetch failed".
      throw cause;
    },
  );
  if (!response.ok) throw new Error(`${url} responded ${String(response.status)}`);
  return response.text();
}
