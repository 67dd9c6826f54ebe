import type { Contract } from './contract.ts';
import type { SecurityScheme } from './operation.ts';

/** Returns the built-in checker for a security scheme; `undefined` if the application must register a checker. */
export function checkerKindOf({ type, scheme, in: location = '' }: SecurityScheme): 'apiKey' | 'bearer' | undefined {
  if (type === 'apiKey' && ['header', 'query', 'cookie'].includes(location)) return 'apiKey';
  if (type === 'oauth2' || type === 'openIdConnect') return 'bearer';
  return type === 'http' && scheme === 'bearer' ? 'bearer' : undefined;
}

/**
 * Finds the security schemes that operations use and that have no registered checker.
 *
 * @returns the names of the schemes with a built-in checker (bearer tokens and API keys), and of the unchecked schemes
 */
export function findSchemes(
  { operations, securitySchemes }: Contract,
  checkers: object = {},
): { readonly tokens?: readonly string[]; readonly unchecked?: readonly string[] } {
  const used = Object.values(operations).flatMap(({ security }) => security.flat().map(({ scheme }) => scheme));
  const names = [...new Set(used)].filter((name) => !Object.hasOwn(checkers, name));
  return Object.groupBy(names, (name) => {
    const scheme = securitySchemes[name];
    return scheme === undefined || checkerKindOf(scheme) === undefined ? 'unchecked' : 'tokens';
  });
}
