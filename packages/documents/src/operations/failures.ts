import { isDeepStrictEqual } from 'node:util';
import {
  concreteMediaType,
  escapePointer,
  failureMediaType,
  findCodec,
  findResponseKey,
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
  for (const { object } of listOperations(document)) {
    const operation = operations[object.operationId];
    if (operation === undefined) continue;
    const keys = new Set(ownStatuses(operation).flatMap((status) => findResponseKey(operation, status) ?? []));
    for (const response of keys) {
      const node = object.responses?.[response];
      const { content = {} } = dereference(document, node) ?? {};
      const mediaType = failureMediaType(Object.keys(content))?.documented;
      if (mediaType === undefined) continue;
      const { schema } = content[mediaType] ?? {};
      const hasCodec = findCodec(mediaType, codecs) !== undefined;
      const same = bodies.find(
        (body) =>
          sentKindOf(body.mediaType) === sentKindOf(mediaType) &&
          body.hasCodec === hasCodec &&
          isDeepStrictEqual(body.schema, schema),
      );
      const base = nameOfReference(schema) ?? nameOfReference(node) ?? `${object.operationId}${capitalize(response)}`;
      const name = same?.name ?? unusedName(base, (taken) => bodies.some((body) => body.name === taken));
      if (same === undefined)
        bodies.push({ name, mediaType, hasCodec, schema, operationId: object.operationId, response });
      names.set(keyOf(object.operationId, response), name);
      uses.set(name, (uses.get(name) ?? 0) + 1);
    }
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

/** The failure statuses that the engine may send. */
export const OWN_STATUSES: readonly number[] = [400, 401, 403, 413, 415, 429, 500, 501, 503];

function ownStatuses({ security, requestBody }: Operation): readonly number[] {
  const excluded = [...(security.length > 0 ? [] : [401, 403]), ...(requestBody ? [] : [413, 415])];
  return OWN_STATUSES.filter((status) => !excluded.includes(status));
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
