import { parameterNames, parseJson, parseJsonTree, stringifyJson } from '@contract-first/contract';
import { pathPattern } from '@contract-first/model/operations';
import { idText } from '@contract-first/model/resources';
import {
  fromJsonTree,
  isArray,
  isObject,
  type Json,
  type JsonArray,
  type JsonObject,
  sizeOf,
} from '@contract-first/model/values';
import { MAX_KEPT_SIZE } from '../../bounded-map.ts';
import { memberProblems } from '../resources/schema-alternatives.ts';
import type { Identifiers } from '../resources/identifiers.ts';
import type { Model } from '../resources/model.ts';
import { collectionTemplate, pathInCollection } from './paths.ts';
import type { Resource } from '../resources/resources.ts';
import { collectionPathOf, sizeOfState, type State, type ResourceStore } from './store.ts';

/**
 * The stored resources of a mock: lists by the path of the collection, such as `/books`, and singletons by their path,
 * such as `/settings`. Integers beyond 2^53 are bigints.
 */
export type MockState = Readonly<Record<string, unknown>>;

/** Reads and writes the resources of a store as JSON: lists by the path of the collection, singletons by their path. */
export type Data = {
  /** Replaces all resources with the resources in a text. @returns all problems; nothing is changed if there are any */
  readonly load: (text: string) => readonly string[];
  /** Returns the resources of a state that can be loaded. */
  readonly allowed: (state: MockState) => MockState;
  /** Returns a copy of the resources, including empty lists for paths without parameters. */
  readonly read: () => MockState;
  readonly write: () => string;
  /** Returns the resources as indented JSON, by path. Truncates a long state and states the omitted number. */
  readonly describe: () => Readonly<Record<string, string>>;
};

/** Creates the {@link Data} of a store. @param limit the maximum number of resources */
export function createData(
  resources: readonly Resource[],
  store: ResourceStore,
  { model, identifiers, limit }: { readonly model: Model; readonly identifiers: Identifiers; readonly limit: number },
): Data {
  const singles = resources.filter(({ item }) => item.parameter === '').map((one) => pathsOf(one.item.path, one));
  const lists = resources
    .filter(({ item }) => item.parameter !== '')
    .map((one) => pathsOf(collectionTemplate(one.item), one))
    .sort((one, other) => one.parameters - other.parameters); // The most specific first.
  return { load, allowed, read, write, describe };

  function load(text: string): readonly string[] {
    const states = new Map<string, State>();
    const problems = check(text, states);
    if (problems.length > 0) return problems;
    store.clear();
    for (const [path, state] of states) store.set(path, state);
    return [];
  }

  /** Returns the problems of a text. @param states receives the resources by path */
  function check(text: string, states = new Map<string, State>()): readonly string[] {
    let json: Json;
    try {
      json = fromJsonTree(parseJsonTree(text));
    } catch (error) {
      return [`it is not JSON: ${(error as Error).message}`];
    }
    if (!isObject(json)) return ['it must have lists of resources by their path, such as {"/books": [{"id": 1}]}'];
    const problems = Object.entries(json).flatMap(([path, value]) =>
      isArray(value) && findIn(singles, path) === undefined
        ? loadList(path, value, states)
        : loadOne(path, value, states),
    );
    if (states.size > limit)
      problems.push(`it has ${String(states.size)} resources: raise --limit, which is ${String(limit)}`);
    const size = [...states].reduce((sum, [path, state]) => sum + sizeOfState(path, state), 0);
    if (size > MAX_KEPT_SIZE) problems.push('it is larger than 50 MB, which is the most that the mock keeps');
    return problems;
  }

  function allowed(state: MockState): MockState {
    const isAllowed = (path: string, value: unknown): boolean => check(stringifyJson({ [path]: value })).length === 0;
    const groups = Object.entries(state).filter(([path, value]) => isAllowed(path, Array.isArray(value) ? [] : value));
    return Object.fromEntries(
      groups.map(([path, value]) => [
        path,
        Array.isArray(value) ? value.filter((item) => isAllowed(path, [item])) : value,
      ]),
    );
  }

  function read(): MockState {
    return { ...Object.fromEntries(emptyLists()), ...(parseJson(write()) as MockState) }; // `write` returns an object.
  }

  function loadList(path: string, items: readonly Json[], states: Map<string, State>): string[] {
    const resource = findIn(lists, path);
    if (resource === undefined) return [unknown(path)];
    return items.flatMap((item, index) => {
      const place = `${path}[${String(index)}]`;
      if (!isObject(item)) return [`${place} must be an object`];
      const id = idOf(resource, item);
      const own = id === undefined ? undefined : pathInCollection(path, id);
      const isRepeated = own !== undefined && states.has(own);
      if (own !== undefined && !isRepeated) states.set(own, model.complete(resource, item));
      return [
        ...(own === undefined ? [`${place} has no valid id: set ${resource.idMembers.join(' or ')}`] : []),
        ...(isRepeated ? [`${place} has the same id as an earlier resource: ${idText(id)}`] : []),
        ...problemsOf(place, resource, item),
      ];
    });
  }

  function loadOne(path: string, value: Json, states: Map<string, State>): string[] {
    const single = findIn(singles, path);
    const resource = single ?? findIn(lists, collectionPathOf(path));
    if (resource === undefined) return [unknown(path)];
    const isDeleted = value === null && (single !== undefined || resource.alwaysExists === true);
    if (isDeleted || model.allowsValue(resource, value)) {
      states.set(path, isDeleted ? undefined : value);
      return [];
    }
    if (resource.members !== undefined && isObject(value))
      return Object.entries(value).flatMap(([id, member]) => loadOne(pathInCollection(path, id), member, states));
    if (!isObject(model.sampleOf(resource))) return [`${path} must be a value of its schema`];
    if (!isObject(value)) return [`${path} must be an object`];
    states.set(path, model.complete(resource, value));
    return problemsOf(path, resource, value);
  }

  function problemsOf(place: string, resource: Resource, state: JsonObject): string[] {
    return memberProblems(model.alternativesOf(resource), state).map((problem) => `${place}: ${problem}`);
  }

  function idOf(resource: Resource, state: JsonObject): Json | undefined {
    return identifiers.idIn(state, resource.idMembers, model.idSchemasOf(resource));
  }

  function unknown(path: string): string {
    const known = [...lists, ...singles].map(({ template }) => template);
    return `${path} has no resources that are remembered; there are ${known.join(', ') || 'none'}`;
  }

  function write(): string {
    const lines = [...grouped()].map(([path, group]) => {
      const texts = isArray(group) ? group.map((state) => stringifyJson(state)) : [];
      const whole = isArray(group) ? `[\n    ${texts.join(',\n    ')}\n  ]` : stringifyJson(group);
      return `  ${JSON.stringify(path)}: ${whole}`;
    });
    return lines.length === 0 ? '{}\n' : `{\n${lines.join(',\n')}\n}\n`;
  }

  function describe(): Readonly<Record<string, string>> {
    let left = MAX_DESCRIBED_SIZE;
    const isShown = (state: Json): boolean => {
      const size = sizeOf(state);
      if (size > left) return false;
      left -= size;
      return true;
    };
    const groups = new Map<string, Json>([...emptyLists(), ...grouped()]);
    const described = [...groups].map(([path, group]) => {
      const shown = isArray(group) ? group.filter(isShown) : isShown(group) ? group : '…';
      const omitted = isArray(group) && isArray(shown) ? group.length - shown.length : 0;
      return [path, stringifyJson(shown, 2) + (omitted > 0 ? `\n… and ${String(omitted)} more` : '')];
    });
    return Object.fromEntries(described) as Readonly<Record<string, string>>;
  }

  /** Returns empty lists for the paths without parameters. */
  function emptyLists(): readonly (readonly [path: string, list: JsonArray])[] {
    const fixed = lists.filter(({ parameters, resource }) => parameters === 0 && resource.idMembers.length > 0);
    return fixed.map(({ template }) => [template, []]);
  }

  /** Returns the resources: lists by the path of the collection, singletons by their path. */
  function grouped(): ReadonlyMap<string, Json> {
    const groups = new Map<string, Json>();
    const listsOf = new Map<string, JsonObject[]>();
    for (const [path, state] of store.entries()) {
      const collection = collectionPathOf(path);
      const resource = findIn(singles, path) === undefined ? findIn(lists, collection) : undefined;
      const object = state !== undefined && isObject(state) ? state : undefined;
      const id = resource === undefined || object === undefined ? undefined : idOf(resource, object);
      const list = listsOf.get(collection) ?? [];
      const isListed =
        id !== undefined && pathInCollection(collection, id) === path && (list.length > 0 || !groups.has(collection));
      if (isListed && object !== undefined) {
        list.push(object);
        listsOf.set(collection, list);
        groups.set(collection, list);
      } else groups.set(path, state ?? null);
    }
    return groups;
  }
}

/** The maximum size of a description, around 1 MB of JSON. */
const MAX_DESCRIBED_SIZE = 100_000;

/** A path template with its resource. */
type PathPattern = {
  readonly template: string;
  readonly parameters: number;
  readonly pattern: RegExp;
  readonly resource: Resource;
};

function pathsOf(template: string, resource: Resource): PathPattern {
  return { template, parameters: parameterNames(template).length, pattern: pathPattern(template), resource };
}

function findIn(patterns: readonly PathPattern[], path: string): Resource | undefined {
  return patterns.find(({ pattern }) => pattern.test(path))?.resource;
}
