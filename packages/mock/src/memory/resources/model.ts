import { memoizeByObject, stringifyJson } from '@contract-first/contract';
import type { ApiOperation } from '@contract-first/model/operations';
import {
  type DocumentSchemas,
  findItems,
  identityPlace,
  idText,
  type Items,
  itemSchemas,
  itemsIn,
  schemaAt,
  successSchemas,
} from '@contract-first/model/resources';
import {
  allPropertiesOf,
  mergeAllOf,
  isArray,
  isObject,
  isScalar,
  type Json,
  type JsonObject,
  objectOrEmpty,
  partAt,
  type Place,
  propertyOf,
  replaceAt,
  requiredBy,
  type JsonSchema,
  type Values,
} from '@contract-first/model/values';
import { type SchemaAlternative, alternativesIn } from './schema-alternatives.ts';
import type { IdSchemas } from './identifiers.ts';
import type { Resource } from './resources.ts';
import type { ItemMember } from './selection.ts';

/** The schemas and generated values of resources, memoized. */
export type Model = ReturnType<typeof createModel>;

/** Creates the {@link Model} of a document. */
export function createModel(requests: Values, responses: Values) {
  const schemas: DocumentSchemas = { requestSchemas: requests.schemas, responseSchemas: responses.schemas };
  const places = memoize(
    (operation: ApiOperation, { item }: Resource) => identityPlace(operation, item, schemas)?.slice(0, -1) ?? [],
  );
  const sentPlaces = memoize((operation: ApiOperation, resource: Resource): readonly string[] => {
    const contents = operation.requestBody?.contents ?? [];
    const isSent = (place: readonly string[]): boolean =>
      place.length > 0 && contents.some(({ schema }) => schemaAt(requests.schemas, schema, place) !== undefined);
    // Falls back to the read operation, since a response may have no body.
    return [operation, resource.item.read].map((one) => (one ? places(one, resource) : [])).find(isSent) ?? [];
  });
  const parts = memoize((schema: JsonSchema | undefined, place: readonly string[]) =>
    schemaAt(responses.schemas, schema, place),
  );
  const items = memoize((schema: JsonSchema | undefined, operation: ApiOperation) =>
    findItems(operation, schema, responses.schemas),
  );
  const written = memoize((operation: ApiOperation, resource: Resource): ReadonlySet<string> => {
    const bodies = sentSchemas(operation, resource);
    return new Set(bodies.flatMap((schema) => Object.keys(allPropertiesOf(requests.schemas, schema))));
  });
  const samples = memoizeByObject(createSample);
  const holders = memoize((operation: ApiOperation, resource: Resource): string | undefined => {
    const names = [...written(operation, resource)];
    const own = allPropertiesOf(responses.schemas, samples(resource).schema);
    const isIn = (properties: object): boolean => names.every((name) => Object.hasOwn(properties, name));
    if (names.length === 0 || names.some((name) => Object.hasOwn(own, name))) return undefined;
    return Object.entries(own).find(([, property]) => isIn(allPropertiesOf(responses.schemas, property)))?.[0];
  });
  const alternatives = memoizeByObject(listAlternatives);
  const represent = createRepresent(responses);
  return {
    requests,
    responses,
    /** Returns the alternatives of the schemas of a resource in requests and responses. */
    alternativesOf: alternatives,
    represent,
    /** Returns an object of resources, each represented as in its read; the generated value if the schema forbids it. */
    representMembers: (members: Resource, schema: JsonSchema | undefined, generated: Json, state: Json): Json => {
      const { schema: own, value } = samples(members);
      const entries = Object.entries(objectOrEmpty(state));
      const whole = Object.fromEntries(entries.map(([id, member]) => [id, represent(own, value, member)]));
      return responses.allows(schema, whole) ? whole : generated;
    },
    /**
     * Returns the place of a resource in the response bodies of an operation, such as `data`; empty for the whole body.
     */
    placeIn: places,
    /** Returns the place of a resource in the request bodies of an operation. */
    sentPlaceIn: sentPlaces,
    /** Returns whether the successful responses of an operation have exactly the members of a resource. */
    isRepresentedBy: memoize((operation: ApiOperation, resource: Resource): boolean => {
      const namesIn = (schema: JsonSchema | undefined): readonly string[] =>
        Object.keys(allPropertiesOf(responses.schemas, schema)).sort();
      const place = identityPlace(operation, resource.item, schemas)?.slice(0, -1);
      const [whole] = successSchemas(operation);
      const names = place === undefined ? [] : namesIn(schemaAt(responses.schemas, whole, place));
      return names.length > 0 && names.join('\n') === namesIn(samples(resource).schema).join('\n');
    }),
    /** Returns whether the successful responses of an operation have the schema of reads of a resource. */
    isReadAs: memoize((operation: ApiOperation, { item: { read } }: Resource): boolean => {
      const [[own], [other]] = [successSchemas(operation), read === undefined ? [] : successSchemas(read)];
      return own !== undefined && other !== undefined && stringifyJson(own) === stringifyJson(other);
    }),
    /** Returns the schema of the part of a response at a place. */
    schemaAt: (schema: JsonSchema | undefined, place: readonly string[]) =>
      place.length === 0 ? schema : parts(schema, place),
    /** Returns the place of the items of a list, and their schema. */
    itemsAt: (operation: ApiOperation, schema: JsonSchema | undefined) => items(schema, operation),
    /** Returns a generated resource with all members. */
    sampleOf: (resource: Resource) => samples(resource).value,
    /** Returns the members of the generated resource; none if it is not an object. */
    sampleMembersOf,
    /** Returns whether a value is valid for a resource that is not an object. */
    allowsValue: (resource: Resource, value: Json): boolean => {
      const { schema, value: sample } = samples(resource);
      return schema !== undefined && !isObject(sample) && responses.allows(schema, value);
    },
    /** Returns whether a resource has no declared members, so that requests write it as a whole. */
    isFree: memoizeByObject((resource: Resource): boolean => {
      const { schema } = samples(resource);
      const declared = allPropertiesOf(responses.schemas, schema);
      return resource.members !== undefined || (schema !== undefined && Object.keys(declared).length === 0);
    }),
    /** Completes a state with generated values for missing required members. */
    complete: (resource: Resource, state: JsonObject): JsonObject => {
      return complete(samples(resource).schema, sampleMembersOf(resource), state);
    },
    /** Returns the schemas of an id. */
    idSchemasOf: memoizeByObject((resource: Resource): IdSchemas => {
      const { item, idMembers } = resource;
      const { read, remove, replace, patch } = item;
      const parameters = (read ?? remove ?? replace ?? patch)?.parameters ?? [];
      const { schema } = samples(resource);
      return {
        parameter: parameters.find((one) => one.in === 'path' && one.name === item.parameter)?.schema,
        member: allPropertiesOf(responses.schemas, schema)[idMembers[0] ?? ''],
      };
    }),
    /** Returns the names of the members in the requests of an operation. */
    writtenBy: (operation: ApiOperation, resource: Resource): ReadonlySet<string> => {
      const holder = holders(operation, resource);
      return holder === undefined ? written(operation, resource) : new Set([holder]);
    },
    /** Returns the member that an operation writes as a whole; `undefined` if it writes the resource itself. */
    holderOf: holders,
    /**
     * Returns the members of list items, including members of `attributes` or a holder, and the maximum number of
     * items.
     */
    listOf: memoize((operation: ApiOperation, resource: Resource) => {
      const [schema] = successSchemas(operation);
      const found = items(schema, operation);
      const list = schemaAt(responses.schemas, schema, found?.place ?? []) ?? true;
      // Validated document.
      const { maxItems = Infinity } = Object(mergeAllOf(responses.schemas, list)) as { readonly maxItems?: number };
      const { create } = resource.item;
      const holder = (create && holders(create, resource)) ?? 'attributes';
      const own = allPropertiesOf(responses.schemas, found?.schema);
      const held = allPropertiesOf(responses.schemas, own[holder]);
      const members = [
        ...Object.entries(held).map(([name, property]) => memberAt([holder, name], property)),
        ...Object.entries(own).map(([name, property]) => memberAt([name], property)),
      ];
      return { members: new Map(members), maxItems };
    }),
  };

  function sampleMembersOf(resource: Resource): JsonObject {
    return objectOrEmpty(samples(resource).value);
  }

  /** Returns the schemas of a resource in an operation's requests. */
  function sentSchemas(operation: ApiOperation, resource: Resource): readonly (JsonSchema | undefined)[] {
    const place = sentPlaces(operation, resource);
    const contents = operation.requestBody?.contents ?? [];
    return contents.map(({ schema }) => schemaAt(requests.schemas, schema, place) ?? schema);
  }

  function complete(schema: JsonSchema | undefined, sample: JsonObject, state: JsonObject): JsonObject {
    const missing = requiredBy(responses.schemas, schema).filter(
      (name) => Object.hasOwn(sample, name) && !Object.hasOwn(state, name),
    );
    const own = Object.entries(state).map(([name, member]) => {
      const inside = sample[name] ?? null;
      if (!isObject(member) || !isObject(inside)) return [name, member] as const;
      return [name, complete(propertyOf(responses.schemas, schema, name), inside, member)] as const;
    });
    return { ...Object.fromEntries(missing.map((name) => [name, sample[name] ?? null])), ...Object.fromEntries(own) };
  }

  function memberAt(place: Place, schema: JsonSchema): readonly [name: string, member: ItemMember] {
    // Validated document.
    const { enum: values } = Object(mergeAllOf(responses.schemas, schema)) as { readonly enum?: readonly Json[] };
    return [String(place.at(-1)), { place, values }];
  }

  function listAlternatives(resource: Resource): readonly SchemaAlternative[] {
    const { create, list, read, replace, patch } = resource.item;
    const written = [create, replace, patch].filter((one) => one !== undefined);
    const sent = written.flatMap((operation) =>
      sentSchemas(operation, resource).flatMap((schema) =>
        alternativesIn(requests, schema, holders(operation, resource)),
      ),
    );
    const had = [...written, read].flatMap((operation) =>
      operation === undefined
        ? []
        : successSchemas(operation).map((schema) => schemaAt(responses.schemas, schema, places(operation, resource))),
    );
    return [
      ...[...had, ...itemSchemas(list, responses.schemas)].flatMap((schema) => alternativesIn(responses, schema)),
      ...sent,
    ];
  }

  function createSample(resource: Resource): Sample {
    const { read, list, create, replace, parameter } = resource.item;
    const mayBeValue = parameter === '' || create === replace;
    let other: Sample | undefined;
    for (const operation of [read, list, create, replace]) {
      const [whole] = operation === undefined ? [] : successSchemas(operation);
      if (operation === undefined || whole === undefined) continue;
      const wanted = { key: operation.operationId, dynamic: false, isText: false };
      const [generated = null] = responses.valuesOf({ schema: whole }, wanted);
      const found: Items | undefined = operation === list ? items(whole, operation) : undefined;
      const place = places(operation, resource);
      const schema = operation === list ? found?.schema : schemaAt(responses.schemas, whole, place);
      const value = operation === list ? (itemsIn(generated, operation)?.[0] ?? null) : partAt(generated, place);
      if (isObject(value)) return { schema, value };
      if (operation === read && mayBeValue && place.length === 0) other = { schema, value };
    }
    return other ?? { schema: undefined, value: {} };
  }
}

/** A generated resource with its schema. */
type Sample = { readonly schema: JsonSchema | undefined; readonly value: Json };

/** Memoizes a function by its two arguments. */
function memoize<One, Two, Result>(create: (one: One, two: Two) => Result) {
  const results = new Map<One, Map<Two, Result>>();
  return (one: One, two: Two): Result => {
    const known = results.get(one) ?? new Map<Two, Result>();
    results.set(one, known);
    if (!known.has(two)) known.set(two, create(one, two));
    return known.get(two) as Result; // Just set.
  };
}

/**
 * Returns a valid value of a schema with as many members of a state as possible, completed with generated values.
 * Returns a state without members unchanged, or else the generated value.
 */
type Represent = (schema: JsonSchema | undefined, generated: Json, state: Json) => Json;

/** The facts of a schema about the members of a value. */
type Outline = {
  readonly items: JsonSchema | undefined;
  readonly declared: Readonly<Record<string, JsonSchema>>;
  readonly isOpen: boolean;
  readonly required: readonly string[];
};

const MAX_DEPTH = 12;

/** Creates {@link Represent}. Caches the representations by state, since states are immutable. */
function createRepresent({ allows, schemas }: Pick<Values, 'allows' | 'schemas'>): Represent {
  const cache = new WeakMap<object, Map<JsonSchema | undefined, Json>>();
  const outlines = new Map<JsonSchema | undefined, Outline>();
  return (schema, generated, state) => {
    if (!isObject(state)) return allows(schema, state) ? state : generated;
    const known = cache.get(state) ?? new Map<JsonSchema | undefined, Json>();
    cache.set(state, known);
    const value = known.get(schema) ?? represent(schema, generated, state);
    known.set(schema, value);
    return value;
  };

  function represent(schema: JsonSchema | undefined, generated: Json, state: JsonObject): Json {
    if (!isObject(generated)) return generated;
    const whole = merge(schema, generated, state, 0);
    if (allows(schema, whole)) return whole;
    if (!isObject(whole)) return generated;
    return addMembers(schema, generated, whole, []);
  }

  /** Adds the valid members at a place, one by one. */
  function addMembers(schema: JsonSchema | undefined, value: Json, members: JsonObject, place: Place): Json {
    return Object.entries(members).reduce((result, [name, member]) => {
      const at = [...place, name];
      // An id may be a number or a string, depending on the place.
      const spellings = isScalar(member) ? [member, idText(member)] : [member];
      const next = spellings.map((spelling) => replaceAt(result, at, spelling)).find((whole) => allows(schema, whole));
      if (next !== undefined) return next;
      return isObject(member) && isObject(partAt(result, at)) ? addMembers(schema, result, member, at) : result;
    }, value);
  }

  /** Returns the outline of a schema, memoized. */
  function outlineOf(schema: JsonSchema | undefined): Outline {
    const known = outlines.get(schema);
    if (known !== undefined) return known;
    const flat = schema === undefined ? true : mergeAllOf(schemas, schema);
    const keywords = typeof flat === 'boolean' ? {} : flat;
    const declared = allPropertiesOf(schemas, schema);
    const outline = {
      items: keywords['items'] as JsonSchema | undefined, // Validated document.
      declared,
      isOpen: Object.keys(declared).length === 0 || (keywords['additionalProperties'] ?? false) !== false,
      required: requiredBy(schemas, schema),
    };
    outlines.set(schema, outline);
    return outline;
  }

  /** Merges the declared members of a state with generated required members. */
  function merge(schema: JsonSchema | undefined, generated: Json, state: Json, depth: number): Json {
    if (depth > MAX_DEPTH) return state;
    if (!isArray(state) && !isObject(state)) return state;
    const { items, declared, isOpen, required } = outlineOf(schema);
    if (isArray(state)) {
      const [first = null] = isArray(generated) ? generated : [];
      return state.map((item) => merge(items, first, item, depth + 1));
    }
    const inside = objectOrEmpty(generated);
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
