import type { Contract } from './contract.ts';
import { concreteMediaType, kindOf } from './media-type.ts';
import type { Operation, SecurityScheme } from './operation.ts';
import { sampleOf } from './sample.ts';
import { findOperationObject, mergeParameters, resolveComponent } from './contract-document.ts';

/** A part of a request: where it is sent, its name and its value. */
type Part = { readonly in: string; readonly name: string; readonly value: string };

// Stands for the shell variable TOKEN. No argument of a command can contain it.
const TOKEN_VARIABLE = '\0';

/**
 * Returns a curl command for the first operation of the contract, with credentials for it and with the examples of its
 * required parameters and its body.
 *
 * @param token by default, the shell variable TOKEN
 */
export function exampleCurl(contract: Contract, baseUrl: string, token = TOKEN_VARIABLE): string {
  const operation = Object.values(contract.operations)[0];
  if (operation === undefined) return `curl ${baseUrl}`;
  const { method, path, basePaths = contract.basePaths } = operation;
  const parts = [...credentialsOf(contract, operation, token), ...parametersOf(contract, operation)];
  const partsIn = (place: string): readonly Part[] => parts.filter((part) => part.in === place);
  const filled = partsIn('path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, encodeURIComponent(value)),
    path,
  );
  const query = partsIn('query').map(({ name, value }) => `${encodeURIComponent(name)}=${percentEncode(value)}`);
  const url = `${baseUrl}${basePaths[0] ?? ''}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`;
  const cookies = partsIn('cookie').map(({ name, value }) => `${name}=${percentEncode(value)}`);
  return [
    `curl -X ${method} ${/^[\w:/.%~-]+$/.test(url) ? url : quote(url)}`,
    ...partsIn('user').map(({ value }) => `-u ${quote(value)}`),
    ...partsIn('header').map(({ name, value }) => `-H ${quote(`${name}: ${value}`)}`),
    ...(cookies.length > 0 ? [`-b ${quote(cookies.join('; '))}`] : []),
    ...bodyOptions(contract, operation),
  ].join(' ');
}

/** Returns the credentials of the first alternative, if possible one that curl can send. */
function credentialsOf({ securitySchemes }: Contract, { security }: Operation, token: string): readonly Part[] {
  const alternatives = security.map((requirements) =>
    requirements.map(({ scheme }) => credentialOf(securitySchemes[scheme], token)),
  );
  const chosen = alternatives.find((credentials) => !credentials.includes(undefined)) ?? alternatives[0] ?? [];
  return chosen.filter((credential) => credential !== undefined);
}

function credentialOf(securityScheme: SecurityScheme | undefined, token: string): Part | undefined {
  const { type, scheme, in: place, name } = securityScheme ?? {};
  if (type === 'apiKey' && place !== undefined && name !== undefined) return { in: place, name, value: token };
  if (type === 'http' && scheme === 'basic') return { in: 'user', name: '', value: 'user:password' };
  const isBearer = type === 'oauth2' || type === 'openIdConnect' || (type === 'http' && scheme === 'bearer');
  return isBearer ? { in: 'header', name: 'Authorization', value: `Bearer ${token}` } : undefined;
}

function parametersOf({ document }: Contract, operation: Operation): readonly Part[] {
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
function bodyOptions({ document }: Contract, operation: Operation): readonly string[] {
  const mediaTypes = Object.keys(operation.requestBody?.content ?? {});
  const mediaType = mediaTypes.find((name) => kindOf(name) === 'json') ?? mediaTypes[0];
  if (mediaType === undefined) return [];
  const { content } = resolveComponent(document, findOperationObject(document, operation)['requestBody']) as Content;
  const value = sampleOf(document, content?.[mediaType] ?? {});
  const fields = Object.entries(Object(value) as object).map(([name, field]) => quote(`${name}=${toText(field)}`));
  switch (kindOf(mediaType)) {
    case 'form':
      return fields.map((field) => `--data-urlencode ${field}`);
    case 'multipart':
      return fields.map((field) => `-F ${field}`);
    case 'json':
      return [`-H ${quote(`Content-Type: ${concreteMediaType(mediaType)}`)}`, `-d ${quote(JSON.stringify(value))}`];
    default:
      return [`-H ${quote(`Content-Type: ${concreteMediaType(mediaType)}`)}`, `-d ${quote(toText(value))}`];
  }
}
type Content = { readonly content?: Readonly<Record<string, unknown>> };

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Encodes a value for a URL or a cookie, all but the variable. */
function percentEncode(value: string): string {
  return value === TOKEN_VARIABLE ? value : encodeURIComponent(value);
}

/** Quotes a text for a POSIX shell. */
function quote(text: string): string {
  if (!text.includes(TOKEN_VARIABLE)) return `'${text.replaceAll("'", "'\\''")}'`;
  return `"${text.replaceAll(/["$`\\]/g, '\\$&').replaceAll(TOKEN_VARIABLE, () => '$TOKEN')}"`;
}
