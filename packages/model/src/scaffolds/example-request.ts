import {
  checkerKindOf,
  concreteMediaType,
  type Contract,
  type ExampleRequest,
  kindOf,
  normalizeTemplate,
  type Operation,
  type SecurityScheme,
  stringifyJson,
  TOKEN_PLACEHOLDER,
} from '@contract-first/contract';
import {
  dereference,
  listOperations,
  parametersOf,
  resolveReference,
  tokensOf,
  type CompiledDocument,
  type Document,
  type RequestBodyObject,
} from '@contract-first/documents';
import { createValues, type Described } from '../values/documented-values.ts';
import { isArray, isObject, type Json } from '../values/json-value.ts';
import type { TooLarge } from '../values/generation-failure.ts';

// A fixed seed, so that the request depends only on the document.
const SEED = 0;

// Limits the length of the printed line.
const MAX_EXAMPLE_SIZE = 2_000;

/** A part of a request: its location, its name and its value. */
type Part = { readonly in: string; readonly name: string; readonly value: string };

/**
 * Returns an example request for the first operation that needs no resource, or else for the first operation. The
 * request has credentials, the required parameters and a body, with examples from the document or generated values.
 *
 * @param onTooLarge is called if the request would be too large
 * @returns `undefined` if there is no operation, or if the request would be too large
 */
export function exampleRequest(
  { contract, document: original }: CompiledDocument,
  onTooLarge: (operation: Operation, failure: TooLarge) => void = () => undefined,
): ExampleRequest | undefined {
  const operations = Object.values(contract.operations);
  const operation = operations.find(needsNoResource) ?? operations[0];
  const pathItem = original.paths?.[operation?.path ?? ''];
  if (operation === undefined || pathItem === undefined) return undefined;
  const { operationId, method, path, basePaths = contract.basePaths } = operation;
  // Skips the schemas of other paths.
  const needed = { ...original, paths: { [path]: pathItem }, components: componentsOf(original, pathItem) };
  const values = createValues(needed, SEED, 'request');
  const document = values.document as Document; // Differs from the original only in its schemas.
  const found = listOperations(document).find(({ object }) => object.operationId === operationId);
  if (found === undefined) return undefined;
  const { object } = found;
  let tooLarge: TooLarge | undefined;
  const parameters = parametersOf(document, found.pathItem, object).filter(({ required }) => required === true);
  const parts = [
    ...credentialsOf(contract.securitySchemes, operation),
    ...parameters.map((parameter): Part => {
      const { in: place, name, content } = parameter;
      const [[mediaType, described] = ['', parameter]] = Object.entries(content ?? {});
      const value = valueOf(described as Described, `${place} ${name}`); // Validated document.
      return { in: place, name, value: writeValue(mediaType, value) };
    }),
  ];
  const partsIn = (place: string): readonly Part[] => parts.filter((part) => part.in === place);
  const filled = partsIn('path').reduce(
    (text, { name, value }) => text.replace(`{${name}}`, () => encodeURIComponent(value)),
    normalizeTemplate(path),
  );
  const query = partsIn('query').map(({ name, value }) => `${encodeURIComponent(name)}=${percentEncode(value)}`);
  const cookies = partsIn('cookie').map(({ name, value }) => `${name}=${percentEncode(value)}`);
  const request = {
    method,
    target: `${basePaths[0] ?? ''}${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`,
    options: [
      ...partsIn('user').map(({ value }) => ['-u', value] as const),
      ...partsIn('header').map(({ name, value }) => ['-H', `${name}: ${value}`] as const),
      ...(cookies.length > 0 ? [['-b', cookies.join('; ')] as const] : []),
      ...bodyOptions(dereference(document, object.requestBody)),
    ],
  };
  if (tooLarge === undefined) return request;
  onTooLarge(operation, tooLarge);
  return undefined;

  /** Returns a valid value, or a placeholder text if no value can be generated. */
  function valueOf(described: Described, key: string, isText = true): Json {
    let failure: TooLarge | undefined;
    const [value] = values.valuesOf(described, {
      key,
      dynamic: false,
      isText,
      isSimple: true,
      isMinimal: true,
      maxSize: MAX_EXAMPLE_SIZE,
      onTooLarge: (error) => (failure = error),
    });
    if (value === undefined) tooLarge ??= failure;
    return value ?? 'text';
  }

  /** Returns curl's options for a body, as JSON if the operation accepts JSON. */
  function bodyOptions({ content = {} }: Partial<RequestBodyObject> = {}): ExampleRequest['options'] {
    const mediaTypes = Object.keys(content);
    const mediaType = mediaTypes.find((name) => kindOf(name) === 'json') ?? mediaTypes[0];
    if (mediaType === undefined) return [];
    const kind = kindOf(mediaType);
    const value = valueOf((content[mediaType] ?? {}) as Described, 'body', kind !== 'json'); // Validated document.
    if (kind === 'form' || kind === 'multipart') {
      const option = kind === 'form' ? '--data-urlencode' : '-F';
      return Object.entries(isObject(value) ? value : {}).map(([name, field]) => [option, `${name}=${toText(field)}`]);
    }
    return [
      ['-H', `Content-Type: ${concreteMediaType(mediaType)}`],
      ['-d', writeValue(mediaType, value)],
    ];
  }
}

/** Returns the components that a part of a document refers to, directly or by other components. */
function componentsOf({ components = {} }: Document, part: unknown): NonNullable<Document['components']> {
  const references = new Set<string>();
  const collect = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    for (const [key, value] of Object.entries(node) as [string, unknown][]) {
      if (key === '$ref' && typeof value === 'string') references.add(value);
      else collect(value);
    }
  };
  collect(part);
  // The loop also visits references that are added meanwhile.
  for (const reference of references) collect(resolveReference({ openapi: '', components }, reference));
  const used = new Set(Array.from(references, (reference) => tokensOf(reference).join('/')));
  return Object.fromEntries(
    Object.entries(components).map(([group, entries]) => {
      const kept = Object.entries(entries).filter(([name]) => used.has(`components/${group}/${name}`));
      return [group, Object.fromEntries(kept)];
    }),
  );
}

/** Returns whether an operation can succeed without an existing resource. */
function needsNoResource({ method, path }: Operation): boolean {
  return /^(?:get|post)$/i.test(method) && !path.includes('{');
}

/** Returns the credentials of the first alternative, preferably one that curl can send. */
function credentialsOf(schemes: Contract['securitySchemes'], { security }: Operation): readonly Part[] {
  const alternatives = security.map((requirements) => requirements.map(({ scheme }) => credentialOf(schemes[scheme])));
  const chosen = alternatives.find((credentials) => !credentials.includes(undefined)) ?? alternatives[0] ?? [];
  return chosen.filter((credential) => credential !== undefined);
}

function credentialOf(securityScheme: SecurityScheme | undefined): Part | undefined {
  if (securityScheme === undefined) return undefined;
  const { type, scheme, in: place, name } = securityScheme;
  if (type === 'apiKey' && place !== undefined && name !== undefined)
    return { in: place, name, value: TOKEN_PLACEHOLDER };
  if (type === 'http' && scheme === 'basic') return { in: 'user', name: '', value: 'user:password' };
  return checkerKindOf(securityScheme) === 'bearer'
    ? { in: 'header', name: 'Authorization', value: `Bearer ${TOKEN_PLACEHOLDER}` }
    : undefined;
}

/** Serializes the value of a body or a parameter. */
function writeValue(mediaType: string, value: Json): string {
  return kindOf(mediaType) === 'json' ? stringifyJson(value) : toText(value);
}

/** Converts a value to text. Joins lists with commas, as in most parameter styles. */
function toText(value: Json): string {
  if (isArray(value)) return value.map(toText).join(',');
  return typeof value === 'string' ? value : stringifyJson(value);
}

/** Percent-encodes a value for a URL or a cookie, except the token placeholder. */
function percentEncode(value: string): string {
  return value === TOKEN_PLACEHOLDER ? value : encodeURIComponent(value);
}
