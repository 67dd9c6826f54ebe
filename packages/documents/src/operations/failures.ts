import { isDeepStrictEqual } from 'node:util';
import {
  concreteMediaType,
  escapePointer,
  failureMediaType,
  failureStatusOf,
  findCodec,
  findResponseKey,
  idempotencyKeyOf,
  kindOf,
  type BodyKind,
  type Operation,
} from '@contract-first/contract';
import { listOperations, type Document } from '../document/document.ts';
import { capitalize, unusedName } from '../document/names.ts';
import { dereference } from '../document/reference.ts';

/** A documented failure body. */
export type FailureBody = {
  /** The name of the schema, or else a name built from the operation and the status. */
  readonly name: string;
  readonly mediaType: string;
  /** Whether the application has a codec for it. */
  readonly hasCodec: boolean;
  readonly schema: unknown;
  /** The first operation with this body, and its response. */
  readonly operationId: string;
  readonly response: string;
};

/** The failure bodies of a document. */
export type FailureBodies = {
  readonly bodies: readonly FailureBody[];
  /** Returns the name of the body for an operationId and a key of `responses`. */
  readonly nameOf: (operationId: string, response: string) => string | undefined;
  /**
   * The body of undocumented failures, such as for an unknown path: the body of all `default` responses, or else the
   * most frequent body, JSON if possible. Excludes bodies with codecs: without an operation, there is no schema for the
   * codec.
   */
  readonly usual: Pick<FailureBody, 'name' | 'mediaType'> | undefined;
};

/**
 * Finds the bodies of the failures that the engine may send. Bodies with the same schema share a name.
 *
 * @param codecs the media types with codecs
 */
export function findFailures(
  document: Document,
  operations: Readonly<Record<string, Operation>>,
  codecs: readonly string[],
): FailureBodies {
  const bodies: FailureBody[] = [];
  const names = new Map<string, string>();
  const uses = new Map<string, number>();
  const listed = listOperations(document).flatMap(({ object }) => {
    const operation = operations[object.operationId];
    if (operation === undefined) return [];
    const own = new Set(ownStatuses(operation).flatMap((status) => findResponseKey(operation, status) ?? []));
    return Object.entries(object.responses ?? {}).flatMap(([response, node]) => {
      const { content = {} } = dereference(document, node);
      const mediaType = failureMediaType(Object.keys(content))?.documented;
      if (mediaType === undefined || /^[123]/.test(response)) return [];
      const { schema } = content[mediaType] ?? {};
      const hasCodec = findCodec(mediaType, codecs) !== undefined;
      const base = nameOfReference(schema) ?? nameOfReference(node) ?? `${object.operationId}${capitalize(response)}`;
      const { operationId } = object;
      return [{ operationId, response, isOwn: own.has(response), base, mediaType, hasCodec, schema }];
    });
  });
  for (const { isOwn, base, ...found } of listed.toSorted((a, b) => Number(b.isOwn) - Number(a.isOwn))) {
    const same = bodies.find(
      (body) =>
        sentKindOf(body.mediaType) === sentKindOf(found.mediaType) &&
        body.hasCodec === found.hasCodec &&
        isDeepStrictEqual(body.schema, found.schema),
    );
    // Only `failureStatus` of the application can select this response. Its body is rendered only if a failure of the
    // engine has the same body.
    if (same === undefined && !isOwn) continue;
    const name = same?.name ?? unusedName(base, (taken) => bodies.some((body) => body.name === taken));
    if (same === undefined) bodies.push({ name, ...found });
    names.set(keyOf(found.operationId, found.response), name);
    if (isOwn) uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  const defaults = new Set(
    Object.keys(operations).flatMap((operationId) => names.get(keyOf(operationId, 'default')) ?? []),
  );
  const plain = bodies.filter(({ hasCodec }) => !hasCodec);
  const common = defaults.size === 1 ? plain.find(({ name }) => defaults.has(name)) : undefined;
  const byUse = plain.toSorted((a, b) => (uses.get(b.name) ?? 0) - (uses.get(a.name) ?? 0));
  const usual = common ?? byUse.find(({ mediaType }) => sentKindOf(mediaType) === 'json') ?? byUse[0];
  return {
    bodies,
    usual: usual && { name: usual.name, mediaType: concreteMediaType(usual.mediaType) },
    nameOf: (operationId, response) => names.get(keyOf(operationId, response)),
  };
}

/** The statuses of the engine's failures without a document. */
export const OWN_STATUSES: readonly number[] = [400, 401, 403, 406, 412, 413, 415, 416, 428, 429, 500, 501, 503];

/** Returns the failure statuses that the engine may send for an operation. */
function ownStatuses(operation: Operation): readonly number[] {
  const { security, requestBody, parameters } = operation;
  const excluded = [...(security.length > 0 ? [] : [401, 403]), ...(requestBody ? [] : [413, 415])];
  const ofKey = idempotencyKeyOf(operation) === undefined ? [] : [409, 422];
  const statuses = [...OWN_STATUSES, ...ofKey].filter((status) => !excluded.includes(status));
  const inPath = parameters.some((parameter) => parameter.in === 'path') ? [failureStatusOf(operation, 400, true)] : [];
  return [...new Set([...statuses.map((status) => failureStatusOf(operation, status)), ...inPath])];
}

/** Returns the body kind of a documented media type; for a range, the kind of the media type to send. */
export function sentKindOf(mediaType: string): BodyKind {
  return kindOf(concreteMediaType(mediaType));
}

function keyOf(operationId: string, response: string): string {
  return `${operationId}/${escapePointer(response)}`;
}

function nameOfReference(node: unknown): string | undefined {
  const { $ref: reference } = (node ?? {}) as { readonly $ref?: unknown };
  return typeof reference === 'string' ? reference.split('/').at(-1) : undefined;
}
