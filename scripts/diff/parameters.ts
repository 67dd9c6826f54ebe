import { IGNORED_PARAMETERS, withDefaultStyle, type Serialization } from '../openapi/openapi-rules.ts';
import { finding, type Finding, type Level } from './finding.ts';
import { child, children, elements, isSet, membersOf, rawChild, textAt, type Pair, type Place } from './place.ts';
import { compareSchemas } from './schema.ts';

/** An operation with its path template and path item. */
export type OperationPlace = { readonly path: string; readonly item: Place; readonly place: Place };

type Parameter = { readonly name: string; readonly place: Place };

/** Compares the parameters of an operation and its path item. Path parameters are matched by position, not by name. */
export function compareParameters(operation: string, { base, revision }: Pair<OperationPlace>): readonly Finding[] {
  const before = parametersOf(base);
  const after = parametersOf(revision);
  const ofBase = [...before].flatMap(([key, previous]) => {
    const current = after.get(key);
    if (current !== undefined) return compareParameter(operation, { base: previous, revision: current });
    return isSet(previous.place, 'deprecated')
      ? [found(operation, 'request-parameter-removed-with-deprecation', 'INFO', previous, 'was removed')]
      : [found(operation, 'request-parameter-removed', 'WARN', previous, 'was removed')];
  });
  const added = [...after].flatMap(([key, parameter]) => {
    if (before.has(key)) return [];
    if (key.startsWith('path ')) return [found(operation, 'new-request-path-parameter', 'ERR', parameter, 'was added')];
    return isSet(parameter.place, 'required')
      ? [found(operation, 'new-required-request-parameter', 'ERR', parameter, 'was added, required')]
      : [found(operation, 'new-optional-request-parameter', 'INFO', parameter, 'was added, optional')];
  });
  return [...ofBase, ...added];
}

function compareParameter(operation: string, { base, revision }: Pair<Parameter>): readonly Finding[] {
  const { place } = revision;
  const flag = (keyword: string, [set, unset]: readonly [string, string], level: Level): readonly Finding[] => {
    const after = isSet(place, keyword);
    if (isSet(base.place, keyword) === after) return [];
    const rule = `request-parameter-${after ? set : unset}`;
    return [found(operation, rule, after ? level : 'INFO', revision, `is ${after ? '' : 'not '}${keyword}`)];
  };
  const described = { subject: 'request-parameter', operation, place, name: revision.name } as const;
  return [
    ...flag('required', ['became-required', 'became-optional'], 'ERR'),
    ...flag('deprecated', ['deprecated', 'reactivated'], 'INFO'),
    ...compareSerialization(operation, { base, revision }),
    ...compareSchemas(described, { base: schemaOf(base.place), revision: schemaOf(place) }),
  ];
}

function compareSerialization(operation: string, { base, revision }: Pair<Parameter>): readonly Finding[] {
  const [before, after] = [serializationOf(base.place), serializationOf(revision.place)];
  if (before.style !== after.style) {
    const text = `style ${before.style} became ${after.style}`;
    return [found(operation, 'request-parameter-style-changed', 'ERR', revision, text)];
  }
  if (before.explode === after.explode) return [];
  const text = `explode ${String(before.explode)} became ${String(after.explode)}`;
  return [found(operation, 'request-parameter-explode-changed', 'ERR', revision, text)];
}

/** Returns how a parameter is serialized, including defaults; `style` is the media type of a parameter with `content`. */
function serializationOf(place: Place): { readonly style: string; readonly explode: boolean } {
  const [mediaType] = children(child(place, 'content')).keys();
  if (mediaType !== undefined) return { style: mediaType, explode: false };
  const { style, explode } = withDefaultStyle(place.value as Serialization); // The linter has checked its members.
  const { type } = membersOf(child(place, 'schema')?.value);
  const isScalar = ['string', 'integer', 'number', 'boolean'].includes(String(type));
  return { style, explode: explode && !isScalar }; // `explode` does not change how a scalar is written.
}

function schemaOf(parameter: Place): Place | undefined {
  const [content] = children(child(parameter, 'content')).values();
  return rawChild(parameter, 'schema') ?? (content && rawChild(content, 'schema'));
}

function found(operation: string, rule: string, level: Level, { name, place }: Parameter, change: string): Finding {
  return finding(operation, rule, level, place, `${name} ${change}`);
}

/** Returns the parameters by location and name, or position in the path. */
function parametersOf({ path, item, place }: OperationPlace): ReadonlyMap<string, Parameter> {
  const positions = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  const lists = [item, place].map((owner) => child(owner, 'parameters'));
  const parameters = lists.flatMap((list) => elements(list).flatMap((_element, index) => child(list, index) ?? []));
  const keyed = parameters.map((parameter) => {
    const [name = '', location = ''] = [textAt(parameter, 'name'), textAt(parameter, 'in')];
    const id =
      location === 'path' ? String(positions.indexOf(name)) : location === 'header' ? name.toLowerCase() : name;
    return [`${location} ${id}`, { name: `${location} parameter ${name}`, place: parameter }] as const;
  });
  return new Map(keyed.filter(([key]) => !IGNORED_PARAMETERS.test(key)));
}
