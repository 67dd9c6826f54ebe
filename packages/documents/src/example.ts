import {
  concreteMediaType,
  findOperationObject,
  kindOf,
  mergeParameters,
  resolveComponent,
  TOKEN_PLACE,
  type Contract,
  type ContractDocument,
  type ExampleRequest,
  type Operation,
  type SecurityScheme,
} from '@contract-first/contract';
import { sampleOf } from './sample.ts';

/** A part of a request: where it is sent, its name and its value. */
type Part = { readonly in: string; readonly name: string; readonly value: string };

/**
 * Returns a request for the first operation, with credentials for it and with the examples of its required parameters and
 * its body; `undefined` without an operation.
 */
export function exampleRequest(
  document: ContractDocument,
  { operations, securitySchemes, basePaths: ofContract }: Omit<Contract, 'document'>,
): ExampleRequest | undefined {
  const operation = Object.values(operations)[0];
  if (operation === undefined) return undefined;
  const { method, path, basePaths = ofContract } = operation;
  const parts = [...credentialsOf(securitySchemes, operation), ...parametersOf(document, operation)];
  const partsIn = (place: string): readonly Part[] => parts.filter((part) => part.in === place);
  const filled = partsIn('path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = partsIn('query').map(({ name, value }) => `${encodeURIComponent(name)}=${percentEncode(value)}`);
  const cookies = partsIn('cookie').map(({ name, value }) => `${name}=${percentEncode(value)}`);
  return {
    method,
    target: `${basePaths[0] ?? ''}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    options: [
      ...partsIn('user').map(({ value }) => ['-u', value] as const),
      ...partsIn('header').map(({ name, value }) => ['-H', `${name}: ${value}`] as const),
      ...(cookies.length > 0 ? [['-b', cookies.join('; ')] as const] : []),
      ...bodyOptions(document, operation),
    ],
  };
}

/** Returns the credentials of the first alternative, if possible one that curl can send. */
function credentialsOf(schemes: Contract['securitySchemes'], { security }: Operation): readonly Part[] {
  const alternatives = security.map((requirements) => requirements.map(({ scheme }) => credentialOf(schemes[scheme])));
  const chosen = alternatives.find((credentials) => !credentials.includes(undefined)) ?? alternatives[0] ?? [];
  return chosen.filter((credential) => credential !== undefined);
}

function credentialOf(securityScheme: SecurityScheme | undefined): Part | undefined {
  const { type, scheme, in: place, name } = securityScheme ?? {};
  if (type === 'apiKey' && place !== undefined && name !== undefined) return { in: place, name, value: TOKEN_PLACE };
  if (type === 'http' && scheme === 'basic') return { in: 'user', name: '', value: 'user:password' };
  const isBearer = type === 'oauth2' || type === 'openIdConnect' || (type === 'http' && scheme === 'bearer');
  return isBearer ? { in: 'header', name: 'Authorization', value: `Bearer ${TOKEN_PLACE}` } : undefined;
}

function parametersOf(document: ContractDocument, operation: Operation): readonly Part[] {
  const pathItem = document.paths?.[operation.path] ?? {};
  const object = findOperationObject(document, operation);
  const [shared, own] = [pathItem, object].map(({ parameters = [] }) =>
    (parameters as readonly unknown[]).map((node) => resolveComponent(document, node)),
  );
  return mergeParameters(shared ?? [], own ?? [])
    .filter(({ required }) => required === true)
    .map((parameter) => {
      const [content] = Object.values(parameter['content'] ?? {}) as readonly unknown[];
      const value = sampleOf(document, content ?? parameter);
      const text = content === undefined ? toText(value) : JSON.stringify(value);
      return { in: String(parameter['in']), name: String(parameter['name']), value: text };
    });
}

/** Returns the options of curl for a body, in JSON if the operation takes it. */
function bodyOptions(document: ContractDocument, operation: Operation): ExampleRequest['options'] {
  const mediaTypes = Object.keys(operation.requestBody?.content ?? {});
  const mediaType = mediaTypes.find((name) => kindOf(name) === 'json') ?? mediaTypes[0];
  if (mediaType === undefined) return [];
  const { content } = resolveComponent(document, findOperationObject(document, operation)['requestBody']) as Content;
  const value = sampleOf(document, content?.[mediaType] ?? {});
  const kind = kindOf(mediaType);
  if (kind === 'form' || kind === 'multipart') {
    const option = kind === 'form' ? '--data-urlencode' : '-F';
    return Object.entries(Object(value) as object).map(([name, field]) => [option, `${name}=${toText(field)}`]);
  }
  const text = kind === 'json' ? JSON.stringify(value) : toText(value);
  return [
    ['-H', `Content-Type: ${concreteMediaType(mediaType)}`],
    ['-d', text],
  ];
}
type Content = { readonly content?: Readonly<Record<string, unknown>> };

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Encodes a value for a URL or a cookie, all but the place of the token. */
function percentEncode(value: string): string {
  return value === TOKEN_PLACE ? value : encodeURIComponent(value);
}
