import type { AjvInstance, SchemaError } from './ajv.ts';
import { escapePointer } from '../json/json-pointer.ts';
import { toViolation } from './schema-errors.ts';
import { isWithin, MAX_VIOLATIONS, type Violation } from '../operations/violation.ts';

/** A schema compiled by Ajv. */
export type Check = {
  (data: unknown, context?: CheckContext): unknown;
  errors?: readonly SchemaError[] | null;
  readonly schema: unknown;
};

/** The place of a checked value in the values of a message. */
type CheckContext = {
  readonly parentData: object | undefined;
  readonly parentDataProperty: string | number;
  readonly rootData: object;
};

type Schema = {
  readonly [keyword: string]: unknown;
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly allOf?: readonly unknown[];
  readonly properties?: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[];
};
type Holder = Record<string, unknown>;

/** A schema without the parts that are searched by themselves: keywords whose checks stop at the first error. */
type Assertions = { readonly schema: unknown; check?: Check };

/** The assertions of a schema; those with alternatives are apart from the others. */
type Parts = {
  readonly own: Assertions | undefined;
  /** Whether the own assertions include those of the members. */
  readonly isWhole: boolean;
  readonly alternatives: readonly (readonly [schemas: readonly unknown[], assertions: Assertions])[];
  readonly condition: Assertions | undefined;
};

/** A value that is searched. */
type Part = {
  readonly value: unknown;
  readonly pointer: string;
  /** Its object or list, and its key there. */
  readonly holder: object | undefined;
  readonly key: string | number;
};

/** A search for violations in one value. */
type Search = {
  readonly root: object;
  readonly violations: Map<string, Violation>;
  /** Compiled before the search is repeated. */
  readonly uncompiled: Set<Assertions>;
  /** The objects that a reference was followed for. */
  readonly followed: Map<string, Set<object>>;
  visits: number;
  /** The levels above whose assertions include those of this level. */
  repeated: number;
};

// Around 2 ms. Larger values are not searched to the end.
const MAX_VISITS = 10_000;
// Enough for ten violations, and not much more.
const MAX_COMPILED = 20;
// Each of these levels is checked again as a part of the levels above it.
const MAX_REPEATED = 3;
// The type that a schema allows may be found through references.
const MAX_DEPTH = 5;

/** The keywords whose schemas always apply to the value or its members. They are searched by themselves. */
const SEARCHED = ['$ref', 'allOf', 'properties', 'required', 'items', 'prefixItems', 'if', 'then', 'else'];
const ALTERNATIVES = ['anyOf', 'oneOf'];

/**
 * Finds all violations of invalid values. Ajv's `allErrors` has no limit, and evaluates costly keywords even when cheap
 * ones have failed. Here, a schema is searched together with a value; the assertions of each schema are compiled by
 * themselves when they are first needed, and stop at their first error. So each costs at most what it costs for a valid
 * value.
 */
export class ViolationFinder {
  readonly #ajv: AjvInstance;
  readonly #parts = new Map<object, Parts>();
  /** Equal assertions are compiled once. */
  readonly #assertions = new Map<string, Assertions>();

  /** @param ajv has the schemas that others refer to */
  constructor(ajv: AjvInstance) {
    this.#ajv = ajv;
  }

  /**
   * Finds up to ten violations among the first ten thousand parts of a value. Yields after each schema that it compiles.
   *
   * @param run calls the function of the search; returns `undefined` when it has interrupted it, which finds nothing
   */
  *find(
    schema: unknown,
    value: object,
    run: (search: () => readonly Violation[]) => readonly Violation[] | undefined,
  ): Generator<void, readonly Violation[]> {
    for (;;) {
      const search: Search = {
        root: value,
        violations: new Map(),
        uncompiled: new Set(),
        followed: new Map(),
        visits: 0,
        repeated: 0,
      };
      const violations = run(() => {
        this.#visit(search, schema, { value, pointer: '', holder: undefined, key: '' });
        return [...search.violations.values()];
      });
      if (violations === undefined || search.uncompiled.size === 0) return violations ?? [];
      for (const assertions of search.uncompiled) {
        assertions.check ??= this.#ajv.compile(assertions.schema as object) as Check; // Another request may need it, too.
        yield;
      }
    }
  }

  #visit(search: Search, node: unknown, part: Part): void {
    if (node === true || isOver(search)) return;
    search.visits += 1;
    const { value, pointer } = part;
    if (node === false) {
      add(search, this.#errorsOf(search, this.#assert(false), part), pointer);
      return;
    }
    const schema = node as Schema;
    const { own, isWhole, alternatives, condition } = this.#partsOf(schema);
    if (isWhole) {
      if (own !== undefined) add(search, this.#errorsOf(search, own, part), pointer);
      if (search.repeated >= MAX_REPEATED) return;
      search.repeated += 1;
    }
    if (schema.$ref !== undefined) this.#follow(search, schema.$ref, part);
    for (const subschema of schema.allOf ?? []) this.#visit(search, subschema, part);
    if (own !== undefined && !isWhole) add(search, this.#errorsOf(search, own, part), pointer);
    for (const [schemas, assertions] of alternatives) {
      const [possible, ...others] = schemas.filter((subschema) => this.#allowsType(subschema, value));
      // The only alternative for values of this type applies as if there were no others.
      if (possible !== undefined && others.length === 0) this.#visit(search, possible, part);
      else add(search, this.#errorsOf(search, assertions, part), pointer);
    }
    if (condition !== undefined) {
      const branch = this.#errorsOf(search, condition, part) === undefined ? 'then' : 'else';
      this.#visit(search, schema[branch] ?? true, part);
    }
    if (Array.isArray(value)) this.#visitItems(search, schema, value, pointer);
    else if (typeof value === 'object' && value !== null) this.#visitMembers(search, schema, value as Holder, pointer);
    if (isWhole) search.repeated -= 1;
  }

  /** Visits the target of a reference, each once for an object: the parts of a recursive schema may overlap. */
  #follow(search: Search, reference: string, part: Part): void {
    const { value } = part;
    if (typeof value === 'object' && value !== null) {
      const followed = search.followed.get(reference) ?? new Set();
      if (followed.has(value)) return;
      search.followed.set(reference, followed.add(value));
    }
    this.#visit(search, this.#target(reference), part);
  }

  #visitItems(search: Search, schema: Schema, list: readonly unknown[], pointer: string): void {
    const prefix = (schema['prefixItems'] ?? []) as readonly unknown[];
    // A list that must end after its prefix is an own assertion.
    const items = schema['items'] === undefined || schema['items'] === false ? true : schema['items'];
    const length = items === true ? Math.min(prefix.length, list.length) : list.length;
    for (let index = 0; index < length && !isOver(search); index += 1)
      this.#visit(search, prefix[index] ?? items, memberOf(list, index, pointer));
  }

  #visitMembers(search: Search, schema: Schema, object: Holder, pointer: string): void {
    const { properties = {}, required = [], patternProperties, additionalProperties = true } = schema;
    for (const name of required) {
      const message = `must have required property '${name}'`;
      if (!Object.hasOwn(object, name) || object[name] === undefined)
        add(search, [memberError('required', message, { missingProperty: name })], pointer);
    }
    for (const [name, member] of Object.entries(properties)) {
      if (Object.hasOwn(object, name) && object[name] !== undefined)
        this.#visit(search, member, memberOf(object, name, pointer));
    }
    if (additionalProperties === true || patternProperties !== undefined) return;
    for (const name of Object.keys(object)) {
      if (isOver(search)) return;
      search.visits += 1;
      if (Object.hasOwn(properties, name)) continue;
      const error = memberError('additionalProperties', 'must NOT have additional properties', {
        additionalProperty: name,
      });
      if (additionalProperties === false) add(search, [error], pointer);
      else this.#visit(search, additionalProperties, memberOf(object, name, pointer));
    }
  }

  /** Returns the errors of a check; `undefined` when the value conforms or the check is not compiled yet. */
  #errorsOf(search: Search, assertions: Assertions, part: Part): readonly SchemaError[] | undefined {
    const { check } = assertions;
    if (check === undefined) {
      search.uncompiled.add(assertions);
      return undefined;
    }
    const context = { parentData: part.holder, parentDataProperty: part.key, rootData: search.root };
    return check(part.value, context) === true ? undefined : (check.errors ?? []);
  }

  /** Whether a schema allows the type of a value. */
  #allowsType(node: unknown, value: unknown, depth = 0): boolean {
    const schema = Object(node) as Schema;
    const { $ref, allOf = [], type } = schema;
    if (node === false) return false;
    if (depth > MAX_DEPTH) return true;
    const parts = $ref === undefined ? allOf : [this.#target($ref), ...allOf];
    for (const alternatives of ALTERNATIVES.map((keyword) => schema[keyword] as readonly unknown[] | undefined))
      if (alternatives?.some((part) => this.#allowsType(part, value, depth + 1)) === false) return false;
    const isAllowed = type === undefined || [type].flat().some((name) => typesOf(value).includes(name));
    return isAllowed && parts.every((part) => this.#allowsType(part, value, depth + 1));
  }

  #target(reference: string): unknown {
    return this.#ajv.schemas[reference]?.schema;
  }

  #partsOf(schema: Schema): Parts {
    const cached = this.#parts.get(schema);
    if (cached !== undefined) return cached;
    const isWhole = 'unevaluatedProperties' in schema || 'unevaluatedItems' in schema;
    const excluded = ['default', ...(isWhole ? [] : [...SEARCHED, ...ALTERNATIVES])];
    const own = Object.fromEntries(Object.entries(schema).filter(([keyword]) => !excluded.includes(keyword)));
    if (!isWhole) {
      if (schema['items'] === false) {
        own['items'] = false;
        own['prefixItems'] = ((schema['prefixItems'] ?? []) as readonly unknown[]).map(() => true);
      }
      // The names of members decide to which of them these two keywords apply.
      if (schema['patternProperties'] === undefined) delete own['additionalProperties'];
      else if (schema.properties !== undefined)
        own['properties'] = Object.fromEntries(Object.keys(schema.properties).map((name) => [name, true]));
    }
    const parts: Parts = {
      isWhole,
      own: Object.keys(own).length === 0 ? undefined : this.#assert(own),
      alternatives: ALTERNATIVES.flatMap((keyword) => {
        const schemas = schema[keyword] as readonly unknown[] | undefined;
        return schemas === undefined ? [] : [[schemas, this.#assert({ [keyword]: schemas })] as const];
      }),
      condition: 'if' in schema ? this.#assert(schema['if']) : undefined,
    };
    this.#parts.set(schema, parts);
    return parts;
  }

  #assert(schema: unknown): Assertions {
    const key = JSON.stringify(schema);
    const cached = this.#assertions.get(key) ?? { schema };
    this.#assertions.set(key, cached);
    return cached;
  }
}

/**
 * Combines the first violation, which is certain, with those of a search, which may have ended before it. A violation that is
 * found within the place of the first one is the same, or says more.
 */
export function combineViolations(first: Violation, found: readonly Violation[]): readonly Violation[] {
  return found.some(({ place }) => isWithin(place, first.place)) ? found : [first, ...found];
}

function isOver({ violations, uncompiled, visits }: Search): boolean {
  return violations.size >= MAX_VIOLATIONS || uncompiled.size >= MAX_COMPILED || visits >= MAX_VISITS;
}

function add({ violations }: Search, errors: readonly SchemaError[] | undefined, pointer: string): void {
  if (errors === undefined || violations.size >= MAX_VIOLATIONS) return;
  const violation = toViolation(errors, pointer);
  violations.set(JSON.stringify([violation.place, violation.message]), violation);
}

function memberOf(holder: object, key: string | number, pointer: string): Part {
  const value = (holder as Readonly<Record<string | number, unknown>>)[key];
  return { value, pointer: `${pointer}/${escapePointer(String(key))}`, holder, key };
}

function memberError(keyword: string, message: string, params: object): SchemaError {
  return { keyword, message, params, instancePath: '', schemaPath: '' };
}

function typesOf(value: unknown): readonly string[] {
  if (value === null) return ['null'];
  if (Array.isArray(value)) return ['array'];
  return typeof value === 'number' ? ['number', 'integer'] : [typeof value];
}
