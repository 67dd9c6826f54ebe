import { idText } from '@contract-first/model/resources';
import {
  allPropertiesOf,
  flatten,
  isArray,
  isObject,
  isScalar,
  type Json,
  type JsonObject,
  partAt,
  type Place,
  replaceAt,
  requiredBy,
  type Schema,
  type Values,
} from '@contract-first/model/values';

/** Returns a value that a schema allows, with as much of a state as it allows; the rest is that of a generated value. */
export type Represent = (schema: Schema | undefined, generated: Json, state: JsonObject) => Json;

/** The keywords of a schema that decide about the members of a value. */
type Outline = {
  readonly items: Schema | undefined;
  readonly declared: Readonly<Record<string, Schema>>;
  readonly isOpen: boolean;
  readonly required: readonly string[];
};

const MAX_DEPTH = 12;

/** Creates {@link Represent}. States are never changed, so their representations are kept with them. */
export function createRepresent({ allows, schemas }: Pick<Values, 'allows' | 'schemas'>): Represent {
  const cache = new WeakMap<object, Map<Schema | undefined, Json>>();
  const outlines = new Map<Schema | undefined, Outline>();
  return (schema, generated, state) => {
    const known = cache.get(state) ?? new Map<Schema | undefined, Json>();
    cache.set(state, known);
    const value = known.get(schema) ?? represent(schema, generated, state);
    known.set(schema, value);
    return value;
  };

  function represent(schema: Schema | undefined, generated: Json, state: JsonObject): Json {
    if (!isObject(generated)) return generated;
    const whole = merge(schema, generated, state, 0);
    if (allows(schema, whole)) return whole;
    if (!isObject(whole)) return generated;
    return addMembers(schema, generated, whole, []);
  }

  /** Adds the members at a place that the schema allows, one by one. */
  function addMembers(schema: Schema | undefined, value: Json, members: JsonObject, place: Place): Json {
    return Object.entries(members).reduce((result, [name, member]) => {
      const at = [...place, name];
      // An id may be a number in one place and a text in another.
      const forms = isScalar(member) ? [member, idText(member)] : [member];
      const next = forms.map((form) => replaceAt(result, at, form)).find((whole) => allows(schema, whole));
      if (next !== undefined) return next;
      return isObject(member) && isObject(partAt(result, at)) ? addMembers(schema, result, member, at) : result;
    }, value);
  }

  /** Returns the outline of a schema, which is read once. */
  function outlineOf(schema: Schema | undefined): Outline {
    const known = outlines.get(schema);
    if (known !== undefined) return known;
    const flat = schema === undefined ? true : flatten(schemas, schema);
    const keywords = typeof flat === 'boolean' ? {} : flat;
    const declared = allPropertiesOf(schemas, schema);
    const outline = {
      items: keywords['items'] as Schema | undefined, // The linter has checked the shape of this keyword.
      declared,
      isOpen: Object.keys(declared).length === 0 || (keywords['additionalProperties'] ?? false) !== false,
      required: requiredBy(schemas, schema),
    };
    outlines.set(schema, outline);
    return outline;
  }

  /** Merges the members of a state that a schema declares with the generated ones that it requires. */
  function merge(schema: Schema | undefined, generated: Json, state: Json, depth: number): Json {
    if (depth > MAX_DEPTH) return state;
    if (!isArray(state) && !isObject(state)) return state;
    const { items, declared, isOpen, required } = outlineOf(schema);
    if (isArray(state)) {
      const [first = null] = isArray(generated) ? generated : [];
      return state.map((item) => merge(items, first, item, depth + 1));
    }
    const inside = isObject(generated) ? generated : {};
    const members = Object.entries(state).flatMap(([name, member]) => {
      const property = Object.hasOwn(declared, name) ? declared[name] : undefined;
      if (property === undefined && (!isOpen || schemas.removed.has(name))) return [];
      return [[name, merge(property, inside[name] ?? null, member, depth + 1)] as const];
    });
    const missing = required
      .filter((name) => Object.hasOwn(inside, name))
      .map((name) => [name, inside[name] ?? null] as const);
    return Object.fromEntries([...missing, ...members]);
  }
}
