import { TOKEN_PLACEHOLDER, type Contract } from '@contract-first/contract';

/**
 * Returns a curl command for the example request of a contract.
 *
 * @param token the token to send; the default is the shell variable TOKEN
 */
export function exampleCurl({ example }: Contract, baseUrl: string, token = TOKEN_PLACEHOLDER): string {
  if (example === undefined) return `curl ${baseUrl}`;
  const url = baseUrl + example.target;
  return [
    `curl -X ${example.method}`,
    /^[\w:/.%~-]+$/.test(url) ? url : quote(url, token),
    ...example.options.map(([name, value]) => `${name} ${quote(value, token)}`),
  ].join(' ');
}

/** Inserts the token into a text and quotes it for a POSIX shell. */
function quote(text: string, token: string): string {
  const complete = text.replaceAll(TOKEN_PLACEHOLDER, token);
  if (!complete.includes(TOKEN_PLACEHOLDER)) return `'${complete.replaceAll("'", "'\\''")}'`;
  return `"${complete.replaceAll(/["$`\\]/g, '\\$&').replaceAll(TOKEN_PLACEHOLDER, '$$TOKEN')}"`;
}
