import type { Environment, OptionReader } from '@contract-first/command-line/options';
import type { Client } from '../run/token-sources.ts';
import type { UserOptions } from '../run/users.ts';

/** The options whose values may have secrets. */
export const SECRET_OPTIONS = [
  ...['token', 'credential', 'token-command', 'client', 'other-token', 'other-credential'],
  ...['header', 'value'],
];

/** Reads the credentials of the users, and notes that they are secret. */
export function readUsers(reader: OptionReader, environment: Environment): UserOptions {
  const { has, textOf, placeOf, read, expand, hide, refuse } = reader;
  const tokenCommand = textOf('token-command');
  if (tokenCommand !== undefined && has('token'))
    refuse(`${placeOf('token-command')}: the token is given by --token as well; leave one out`);
  for (const name of ['token-command', 'client'])
    if (has(name) && !has('url')) refuse(`${placeOf(name)} needs --url: a temporary service has tokens of its own`);
  return {
    token: tokenCommand === undefined ? readToken('token', 'TOKEN', 'CONTRACT_TOKEN') : undefined,
    credentials: readCredentials('credential', 'TOKEN'),
    tokenCommand,
    client: read('client', readClient)[0],
    otherToken: readToken('other-token', 'OTHER_TOKEN', 'CONTRACT_OTHER_TOKEN'),
    otherCredentials: readCredentials('other-credential', 'OTHER_TOKEN'),
  };

  /** Reads a token, by default an environment variable. */
  function readToken(name: string, variable: string, fallback: string): string | undefined {
    const text = textOf(name);
    if (text !== undefined) return readSecret(text, placeOf(name), variable);
    const value = environment[fallback];
    if (value === '') refuse(`${fallback} is empty: set it to the token, or unset it`);
    if (value !== undefined) hide(fallback, value);
    return value;
  }

  function readCredentials(name: string, prefix: string): ReadonlyMap<string, string> {
    const pairs = read(name, (text, place) => {
      const [, id, value] = /^([^=]+)=(.+)$/s.exec(text) ?? [];
      if (id !== undefined && value !== undefined)
        return [id, readSecret(value, place, `${prefix}_${variableOf(id)}`)] as const;
      refuse(`${place} must be such as apiKey=abc, with the name of a security scheme`);
      return undefined;
    });
    return new Map(pairs);
  }

  function readClient(text: string, place: string): Client | undefined {
    const variable = 'CLIENT_SECRET';
    const [, id, secret] = /^([^:]+):(.+)$/s.exec(expand(text, place)) ?? [];
    if (id === undefined || secret === undefined) {
      refuse(`${place} must be such as my-client:secret`);
      return undefined;
    }
    if (!isExpanded(text)) hide(variable, secret);
    return { id, secret };
  }

  /** Expands a secret. Where it has no environment variable, another variable stands for it. */
  function readSecret(text: string, place: string, variable: string): string {
    const value = expand(text, place);
    if (value === '' && !isMissing(text)) refuse(`${place} is empty: is the variable set?`);
    if (!isExpanded(text)) hide(variable, value);
    return value;
  }

  /** Returns whether the environment lacks a variable, which is a problem of its own. */
  function isMissing(text: string): boolean {
    return [...text.matchAll(/\$\{(\w+)\}/g)].some(([, name = '']) => environment[name] === undefined);
  }
}

function isExpanded(text: string): boolean {
  return /\$\{\w+\}/.test(text);
}

/** Returns a name for the variable of a security scheme: `API_KEY` for `apiKey`. */
function variableOf(id: string): string {
  return id
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_')
    .replaceAll(/\W+/g, '_')
    .toUpperCase();
}
