import type { ApiOperation } from '@contract-first/model/operations';
import type { Case } from '@contract-first/model/cases';
import { isInAuthorization, type WireRequest } from '@contract-first/model/requests';

/** A header that is added to requests. */
export type ExtraHeader = readonly [name: string, value: string];

/** Returns a copy of an operation without the header parameters that added headers replace. */
export function withoutHeaderParameters(operation: ApiOperation, headers: readonly ExtraHeader[]): ApiOperation {
  const names = headers.map(([name]) => name.toLowerCase());
  const isGenerated = (parameter: ApiOperation['parameters'][number]): boolean =>
    parameter.in !== 'header' || !names.includes(parameter.name.toLowerCase());
  return { ...operation, parameters: operation.parameters.filter(isGenerated) };
}

/** Returns whether added headers may carry an operation's credentials. */
export function haveCredentials(headers: readonly ExtraHeader[], operation: ApiOperation): boolean {
  const carriers = credentialHeaders(operation);
  return headers.some(([name]) => carriers.includes(name.toLowerCase()));
}

/**
 * Adds headers to the request of a test case. The request's own headers take precedence, but cookies are joined.
 * Requests that test missing or wrong credentials get no credentials from the added headers.
 */
export function withExtraHeaders(
  operation: ApiOperation,
  { kind, request }: Case,
  headers: readonly ExtraHeader[],
): WireRequest {
  const carriers = kind === 'no authentication' ? credentialHeaders(operation) : [];
  const added = headers.filter(([name]) => !carriers.includes(name.toLowerCase()));
  const valueOf = (name: string): string | undefined =>
    added.find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
  const cookies = valueOf('cookie');
  const own = request.headers.map(([name, value]): ExtraHeader => {
    return [name, name === 'Cookie' && cookies !== undefined ? `${cookies}; ${value}` : value];
  });
  const names = own.map(([name]) => name.toLowerCase());
  return { ...request, headers: [...own, ...added.filter(([name]) => !names.includes(name.toLowerCase()))] };
}

/** Returns the lower-case names of the headers that carry an operation's credentials. */
function credentialHeaders({ security }: ApiOperation): readonly string[] {
  return security.flat().flatMap((scheme) => {
    if (isInAuthorization(scheme)) return ['authorization'];
    if (scheme.in === 'cookie') return ['cookie'];
    return scheme.in === 'header' ? [(scheme.name ?? '').toLowerCase()] : [];
  });
}
