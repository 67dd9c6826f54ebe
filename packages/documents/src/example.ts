import {
  concreteMediaType,
  kindOf,
  TOKEN_PLACEHOLDER,
  type Contract,
  type ExampleRequest,
  type Operation,
  type SecurityScheme,
} from '@contract-first/contract';
import {
  listOperations,
  type Document,
  type OperationObject,
  type ParameterObject,
  type RequestBodyObject,
} from './document.ts';
import type { CompiledOperations } from './operations.ts';
import { parametersOf } from './parameters.ts';
import { dereference } from './reference.ts';
import { sampleOf } from './sample.ts';

/** A part of a request: where it is sent, its name and its value. */
type Part = { readonly in: string; readonly name: string; readonly value: string };

/**
 * Returns a request for the first operation, with credentials for it and with the examples of its required parameters and
 * its body; `undefined` without an operation.
 */
export function exampleRequest(
  document: Document,
  { operations, securitySchemes, basePaths: ofContract }: CompiledOperations,
): ExampleRequest | undefined {
  const [operation] = Object.values(operations);
  const found = listOperations(document).find(({ object }) => object.operationId === operation?.operationId);
  if (operation === undefined || found === undefined) return undefined;
  const { method, path, basePaths = ofContract } = operation;
  const { pathItem, object } = found;
  const parameters = parametersOf(document, pathItem, object).filter(({ required }) => required === true);
  const parts = [
    ...credentialsOf(securitySchemes, operation),
    ...parameters.map((parameter) => partOf(document, parameter)),
  ];
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
      ...bodyOptions(document, object),
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
  if (type === 'apiKey' && place !== undefined && name !== undefined)
    return { in: place, name, value: TOKEN_PLACEHOLDER };
  if (type === 'http' && scheme === 'basic') return { in: 'user', name: '', value: 'user:password' };
  const isBearer = type === 'oauth2' || type === 'openIdConnect' || (type === 'http' && scheme === 'bearer');
  return isBearer ? { in: 'header', name: 'Authorization', value: `Bearer ${TOKEN_PLACEHOLDER}` } : undefined;
}

function partOf(document: Document, parameter: ParameterObject): Part {
  const [content] = Object.values(parameter.content ?? {});
  const value = sampleOf(document, content ?? parameter);
  const text = content === undefined ? toText(value) : JSON.stringify(value);
  return { in: parameter.in, name: parameter.name, value: text };
}

/** Returns the options of curl for a body, in JSON if the operation takes it. */
function bodyOptions(document: Document, { requestBody }: OperationObject): ExampleRequest['options'] {
  const { content = {} } = (dereference(document, requestBody) ?? {}) as Partial<RequestBodyObject>;
  const mediaTypes = Object.keys(content);
  const mediaType = mediaTypes.find((name) => kindOf(name) === 'json') ?? mediaTypes[0];
  if (mediaType === undefined) return [];
  const value = sampleOf(document, content[mediaType]);
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

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Encodes a value for a URL or a cookie, all but the place of the token. */
function percentEncode(value: string): string {
  return value === TOKEN_PLACEHOLDER ? value : encodeURIComponent(value);
}
