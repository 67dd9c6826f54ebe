import {
  CannotCheck,
  type Json,
  type JsonSchema,
  propertiesOf,
  type SchemaDocument,
} from '@contract-first/model/values';
import type { ApiOperation } from '@contract-first/model/operations';

/** Further statuses that are accepted for valid data. */
export type Expectation = {
  /** Names operations as {@link matchesSelection} does; all operations by default. */
  readonly operation: string | undefined;
  readonly statuses: readonly number[];
};

/** A value that exists on the server, for all parameters and body members with its name, or the member at its path. */
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

/** The operations to check. */
export type Selection = {
  /** Operations as {@link matchesSelection} names them; all by default. */
  readonly operations?: readonly string[] | undefined;
  /** The tags of further operations. */
  readonly tags?: readonly string[] | undefined;
  /** The operations to leave out: by name, method or tag, or `deprecated`. */
  readonly excluded?: readonly string[] | undefined;
};

const DEPRECATED = 'deprecated';

function isExcluded(operation: ApiOperation, text: string): boolean {
  const { method, tags, isDeprecated } = operation;
  if (text === DEPRECATED && isDeprecated) return true;
  return text.toUpperCase() === method.toUpperCase() || tags.includes(text) || matchesSelection(operation, text);
}

/**
 * Selects valid operations by name or tag. Without names and tags, selects all valid operations except the excluded
 * operations.
 *
 * @throws {CannotCheck} with all unknown names or tags
 */
export function select(
  documented: readonly ApiOperation[],
  { operations: names = [], tags = [], excluded = [] }: Selection,
): readonly ApiOperation[] {
  const valid = documented.filter(({ isInvalid }) => !isInvalid);
  assertKnown(valid, names);
  assertKnown(
    valid,
    excluded.filter((text) => text !== DEPRECATED && !valid.some((one) => isExcluded(one, text))),
  );
  const operations = valid.filter((operation) => !excluded.some((text) => isExcluded(operation, text)));
  const known = [...new Set(valid.flatMap((operation) => operation.tags))];
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
export function givenValuesFor(
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

/** Collects the use of given values. */
export type ValueUse = {
  readonly add: (operation: ApiOperation, name: string) => void;
  /** Returns a note for each value that no request had. */
  readonly describeUnused: (operations: readonly ApiOperation[], schemas: SchemaDocument) => readonly string[];
};

/** Creates a {@link ValueUse} for given values. */
export function createValueUse(given: readonly GivenValue[]): ValueUse {
  const used = new Set<GivenValue>();
  const isFor = ({ operation: text }: GivenValue, operation: ApiOperation): boolean =>
    text === undefined || matchesSelection(operation, text);
  return {
    add(operation, name) {
      for (const value of given) if (value.name === name && isFor(value, operation)) used.add(value);
    },
    describeUnused(operations, schemas) {
      const unused = given.filter((value) => !used.has(value));
      return unused.map((value) => {
        const bodies = operations
          .filter((one) => isFor(value, one))
          .flatMap(({ requestBody }) => requestBody?.contents ?? []);
        const known = bodies.flatMap(({ schema }) => memberPaths(schema, schemas, MAX_DEPTH));
        const nearest = known.find((path) => path.endsWith(`.${value.name}`));
        const hint = nearest === undefined ? '' : `; is it ${nearest}?`;
        const name = value.operation === undefined ? value.name : `${value.operation}:${value.name}`;
        return `--value ${name} was not used: no valid request has this parameter or member with this value${hint}`;
      });
    },
  };
}

const MAX_DEPTH = 3;

/** Returns the paths of the members of an object: `user.email`. */
function memberPaths(schema: JsonSchema | undefined, schemas: SchemaDocument, depth: number): readonly string[] {
  if (depth === 0) return [];
  return Object.entries(propertiesOf(schemas, schema)).flatMap(([name, member]) => [
    name,
    ...memberPaths(member, schemas, depth - 1).map((inner) => `${name}.${inner}`),
  ]);
}
