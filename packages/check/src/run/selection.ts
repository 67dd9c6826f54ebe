import { CannotCheck, type Json } from '@contract-first/model/values';
import type { ApiOperation } from '@contract-first/model/operations';

/** Further statuses that are accepted for valid data. */
export type Expectation = {
  /** Names operations as {@link matchesSelection} does; all operations by default. */
  readonly operation: string | undefined;
  readonly statuses: readonly number[];
};

/** A value that exists on the server, for all parameters and body members with its name. */
export type GivenValue = {
  /** Names operations as {@link matchesSelection} does; all operations by default. */
  readonly operation: string | undefined;
  readonly name: string;
  readonly value: Json;
};

/**
 * Returns whether a text names an operation by its operationId, its path, or its method and path. In a path, `*`
 * matches any text.
 */
export function matchesSelection({ operationId, method, template }: ApiOperation, text: string): boolean {
  if (text === operationId) return true;
  const [, prefix = method, path] = /^(?:(\S+) +)?(\/.*)$/.exec(text) ?? [];
  if (path === undefined || prefix.toUpperCase() !== method.toUpperCase()) return false;
  const parts = path.split('*').map((part) => part.replaceAll(/[$()+.?[\\\]^{|}]/g, '\\$&'));
  return new RegExp(`^${parts.join('.*')}$`).test(template);
}

/**
 * Selects valid operations by name or tag. Without names and tags, selects all valid operations.
 *
 * @throws {CannotCheck} with all unknown names or tags
 */
export function select(
  documented: readonly ApiOperation[],
  names: readonly string[],
  tags: readonly string[],
): readonly ApiOperation[] {
  const operations = documented.filter(({ isInvalid }) => !isInvalid);
  assertKnown(operations, names);
  const known = [...new Set(operations.flatMap((operation) => operation.tags))];
  const unknown = tags.filter((tag) => !known.includes(tag));
  if (unknown.length > 0)
    throw new CannotCheck(unknown.map((tag) => `unknown tag ${tag}; the document has ${listOf(known)}`).join('\n'));
  if (names.length + tags.length === 0) return operations;
  return operations.filter(
    (operation) =>
      names.some((name) => matchesSelection(operation, name)) || tags.some((tag) => operation.tags.includes(tag)),
  );
}

/** Checks that each name matches an operation. @throws {CannotCheck} with all unknown names */
export function assertKnown(operations: readonly ApiOperation[], names: readonly string[]): void {
  const unknown = names.filter((name) => !operations.some((operation) => matchesSelection(operation, name)));
  if (unknown.length === 0) return;
  const known = listOf(operations.map(({ operationId }) => operationId));
  throw new CannotCheck(unknown.map((name) => `unknown operation ${name}; the document has ${known}`).join('\n'));
}

function listOf(names: readonly string[]): string {
  return names.join(', ') || 'none';
}

/** Returns the expected statuses of an operation. */
export function statusesFor(operation: ApiOperation, expectations: readonly Expectation[]): ReadonlySet<number> {
  const own = expectations.filter(({ operation: name }) => name === undefined || matchesSelection(operation, name));
  return new Set(own.flatMap(({ statuses }) => statuses));
}

/** Returns one of the given values per name for an operation. */
export function valuesFor(
  operation: ApiOperation,
  salt: number,
  given: readonly GivenValue[],
): ReadonlyMap<string, Json> {
  const own = given.filter(({ operation: name }) => name === undefined || matchesSelection(operation, name));
  const chosen = [...Map.groupBy(own, ({ name }) => name)].flatMap(([name, entries]) => {
    const entry = entries[salt % entries.length];
    return entry === undefined ? [] : [[name, entry.value] as const];
  });
  return new Map(chosen);
}
