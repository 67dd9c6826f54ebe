import type { AjvInstance, SchemaError } from './ajv.ts';
import { escapePointer } from '../json/json-pointer.ts';
import { toViolation } from './schema-errors.ts';
import { isWithin, MAX_VIOLATIONS, type Violation } from '../operations/violation.ts';

/** A schema compiled by Ajv. */
export type SchemaCheck = {
  (data: unknown, context?: CheckContext): unknown;
  errors?: readonly SchemaError[] | null;
  readonly schema: unknown;
};

/** Ajv's context of a validated value. */
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

/** A schema without the separately searched parts. Its check stops at the first error. */
type Assertions = { readonly schema: unknown; check?: SchemaCheck };

/** The assertions of a schema, with alternatives and the condition separated. */
type Parts = {
  readonly own: Assertions | undefined;
  /** Whether the assertions of this schema include the assertions of its members. */
  readonly isWhole: boolean;
  readonly alternatives: readonly (readonly [schemas: readonly unknown[], assertions: Assertions])[];
  readonly condition: Assertions | undefined;
};

/** A value to search. */
type Part = {
  readonly value: unknown;
  readonly pointer: string;
  /** The object or list that contains the value. */
  readonly holder: object | undefined;
  readonly key: string | number;
};

/** A search for violations in one value. */
type Search = {
  readonly root: object;
  readonly violations: Map<string, Violation>;
  /** The assertions to compile before the search is repeated. */
  readonly uncompiled: Set<Assertions>;
  /** The objects for which each reference was followed. */
  readonly followed: Map<string, Set<object>>;
  visits: number;
  /** The number of ancestors whose assertions include the current assertions. */
  repeated: number;
};

// Takes around 2 ms. The search of larger values is incomplete.
const MAX_VISITS = 10_000;
// Just enough for ten violations.
const MAX_COMPILED = 20;
// Limits how many levels are validated again as parts of their ancestors.
const MAX_REPEATED = 3;
// Limits the references and `allOf`s that are followed to find the allowed type.
const MAX_DEPTH = 5;

/** The keywords whose schemas always apply to the value or its members. They are searched separately. */
const SEARCHED = ['$ref', 'allOf', 'properties', 'required', 'items', 'prefixItems', 'if', 'then', 'else'];
const ALTERNATIVES = ['anyOf', 'oneOf'];

/**
 * Finds several violations of an invalid value. Ajv's `allErrors` has no limit, and evaluates costly keywords even
 * after cheap keywords have failed. This class traverses a schema together with a value. It compiles the assertions of
 * each schema separately and lazily; they stop at their first error, so that each check costs no more than for a valid
 * value.
 */
export class ViolationFinder {
  readonly #ajv: AjvInstance;
  readonly #parts = new Map<object, Parts>();
  /** Equal assertions are compiled once. */
  readonly #assertions = new Map<string, Assertions>();

  /** @param ajv contains the referenced schemas */
  constructor(ajv: AjvInstance) {
    this.#ajv = ajv;
  }

  /**
   * Finds up to ten violations in the first ten thousand parts of a value. Yields after compiling each schema.
   *
   * @param run calls the search function; returns `undefined` if it interrupted the search, which then finds no
   *   violations
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
        assertions.check ??= this.#ajv.compile(assertions.schema as object) as SchemaCheck; // May already be compiled.
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
      // If only one alternative accepts the value's type, its violations are reported.
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

  /** Visits the target of a reference, once per object, since the parts of a recursive schema may overlap. */
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
    // The assertions of the schema itself check `items: false`.
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

  /** Returns the errors of a check; `undefined` if the value conforms or the check is not compiled yet. */
  #errorsOf(search: Search, assertions: Assertions, part: Part): readonly SchemaError[] | undefined {
    const { check } = assertions;
    if (check === undefined) {
      search.uncompiled.add(assertions);
      return undefined;
    }
    const context = { parentData: part.holder, parentDataProperty: part.key, rootData: search.root };
    return check(part.value, context) === true ? undefined : (check.errors ?? []);
  }

  /** Returns whether a schema allows the type of a value. */
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
      // Without patterns, additional properties are searched separately. With patterns, `additionalProperties` is an
      // assertion of the schema itself, which needs the property names.
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
 * Combines the first violation with the violations of a search, which may have ended before reaching it. A found
 * violation at or inside the place of the first violation replaces it, since it is the same or more specific.
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
