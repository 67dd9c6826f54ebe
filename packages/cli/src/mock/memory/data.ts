import { parameterNames, parseJson, parseJsonTree, stringifyJson } from '@contract-first/contract';
import { pathPattern } from '../../operations/path-pattern.ts';
import { idText } from '../../resources/identity-place.ts';
import { fromJsonTree } from '../../values/json-tree.ts';
import { isArray, isObject, type Json, type JsonObject } from '../../values/json-value.ts';
import { memberProblems } from './forms.ts';
import type { Identifiers } from './identifiers.ts';
import type { Model } from './model.ts';
import { collectionTemplate, pathWithin } from './paths.ts';
import type { Resource } from './resources.ts';
import { collectionOf, type State, type Store } from './store.ts';

/**
 * The resources that a mock stores: lists by the path of their collection, such as `/books`, and others by their own path, such as
 * `/settings`. Integers beyond 2^53 are bigints.
 */
export type MockState = Readonly<Record<string, unknown>>;

/** The resources of a store as JSON text: lists by the path of their collection, others by their own path. */
export type Data = {
  /** Stores the resources of a text in place of all others. @returns all problems; nothing is changed if there are some */
  readonly load: (text: string) => readonly string[];
  /** Returns a copy of the resources. A list of a path without parameters is there even if it is empty. */
  readonly read: () => MockState;
  readonly write: () => string;
};

/** Creates the {@link Data} of a store. @param limit the number of resources that it keeps */
export function createData(
  resources: readonly Resource[],
  store: Store,
  { model, identifiers, limit }: { readonly model: Model; readonly identifiers: Identifiers; readonly limit: number },
): Data {
  const singles = resources.filter(({ item }) => item.parameter === '').map((one) => pathsOf(one.item.path, one));
  const lists = resources
    .filter(({ item }) => item.parameter !== '')
    .map((one) => pathsOf(collectionTemplate(one.item), one))
    .sort((one, other) => one.parameters - other.parameters); // A fixed path is more specific.
  return { load, read, write };

  function load(text: string): readonly string[] {
    const states = new Map<string, State>();
    let json: Json;
    try {
      json = fromJsonTree(parseJsonTree(text));
    } catch (error) {
      return [`it is not JSON: ${(error as Error).message}`];
    }
    if (!isObject(json)) return ['it must have lists of resources by their path, such as {"/books": [{"id": 1}]}'];
    const problems = Object.entries(json).flatMap(([path, value]) =>
      isArray(value) ? loadList(path, value, states) : loadOne(path, value, states),
    );
    if (states.size > limit)
      problems.push(`it has ${String(states.size)} resources: raise --limit, which is ${String(limit)}`);
    if (problems.length > 0) return problems;
    store.clear();
    for (const [path, state] of states) store.set(path, state);
    return [];
  }

  function read(): MockState {
    const fixed = lists.filter(({ parameters, resource }) => parameters === 0 && resource.idMembers.length > 0);
    const empty: MockState = Object.fromEntries(fixed.map(({ template }) => [template, []]));
    return { ...empty, ...(parseJson(write()) as MockState) }; // An object, as just written.
  }

  function loadList(path: string, items: readonly Json[], states: Map<string, State>): string[] {
    const resource = findIn(lists, path);
    if (resource === undefined) return [unknown(path)];
    return items.flatMap((item, index) => {
      const place = `${path}[${String(index)}]`;
      if (!isObject(item)) return [`${place} must be an object`];
      const id = idOf(resource, item);
      const own = id === undefined ? undefined : pathWithin(path, id);
      const isRepeated = own !== undefined && states.has(own);
      if (own !== undefined && !isRepeated) states.set(own, item);
      return [
        ...(own === undefined ? [`${place} has no valid id: set ${resource.idMembers.join(' or ')}`] : []),
        ...(isRepeated ? [`${place} has the id of another one: ${idText(id)}`] : []),
        ...problemsOf(place, resource, item),
      ];
    });
  }

  function loadOne(path: string, value: Json, states: Map<string, State>): string[] {
    const single = findIn(singles, path);
    const resource = single ?? findIn(lists, collectionOf(path));
    if (resource === undefined) return [unknown(path)];
    if (!isObject(value) && (single === undefined || value !== null)) return [`${path} must be an object`];
    states.set(path, isObject(value) ? value : undefined);
    return isObject(value) ? problemsOf(path, resource, value) : [];
  }

  function problemsOf(place: string, resource: Resource, state: JsonObject): string[] {
    return memberProblems(model.formsOf(resource), state).map((problem) => `${place}: ${problem}`);
  }

  function idOf(resource: Resource, state: JsonObject): Json | undefined {
    return identifiers.idIn(state, resource.idMembers, model.idSchemasOf(resource));
  }

  function unknown(path: string): string {
    const known = [...lists, ...singles].map(({ template }) => template);
    return `${path} has no resources that are remembered; there are ${known.join(', ') || 'none'}`;
  }

  function write(): string {
    const members = new Map<string, string[] | string>();
    for (const [path, state] of store.entries()) {
      const collection = collectionOf(path);
      const resource = findIn(singles, path) === undefined ? findIn(lists, collection) : undefined;
      const id = resource === undefined || state === undefined ? undefined : idOf(resource, state);
      const text = stringifyJson(state ?? null);
      const listed = members.get(collection) ?? [];
      if (id !== undefined && pathWithin(collection, id) === path && typeof listed !== 'string') {
        listed.push(text);
        members.set(collection, listed);
      } else members.set(path, text);
    }
    const lines = [...members].map(
      ([path, text]) =>
        `  ${JSON.stringify(path)}: ${typeof text === 'string' ? text : `[\n    ${text.join(',\n    ')}\n  ]`}`,
    );
    return lines.length === 0 ? '{}\n' : `{\n${lines.join(',\n')}\n}\n`;
  }
}

/** A path template with the resources of its paths. */
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
