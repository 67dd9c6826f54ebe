import { IGNORED_PARAMETERS } from '@contract-first/documents';
import { withDefaultStyle, type Serialization } from '@contract-first/documents';
import { findEarlyRemoval, findSunsetProblem } from './deprecation.ts';
import { finding, type Finding, type Level } from './finding.ts';
import { child, children, elements, isSet, rawChild, textAt, type Pair, type Node } from './node.ts';
import { readSchema } from './schema-reader.ts';
import { compareSchemas } from './schema.ts';
import { typesOf } from './types.ts';

/** An operation with its path template and path item. */
export type OperationNode = { readonly path: string; readonly item: Node; readonly node: Node };

type Parameter = { readonly name: string; readonly node: Node };

/**
 * Compares the parameters of an operation and its path item. Path parameters are matched by position, not by name.
 *
 * @param today the current date, `2026-12-31`
 */
export function compareParameters(
  operation: string,
  { base, revision }: Pair<OperationNode>,
  today: string,
): readonly Finding[] {
  const before = parametersOf(base);
  const after = parametersOf(revision);
  const ofBase = [...before].flatMap(([key, previous]) => {
    const current = after.get(key);
    if (current !== undefined) return compareParameter(operation, { base: previous, revision: current }, today);
    const early = findEarlyRemoval(previous.node, today);
    if (early !== undefined) {
      return [found(operation, 'request-parameter-removed-before-sunset', 'ERR', previous, early)];
    }
    return isSet(previous.node, 'deprecated')
      ? [found(operation, 'request-parameter-removed-with-deprecation', 'INFO', previous, 'was removed')]
      : [found(operation, 'request-parameter-removed', 'WARN', previous, 'was removed')];
  });
  const added = [...after].flatMap(([key, parameter]) => {
    if (before.has(key)) return [];
    if (key.startsWith('path ')) return [found(operation, 'new-request-path-parameter', 'ERR', parameter, 'was added')];
    return isSet(parameter.node, 'required')
      ? [found(operation, 'new-required-request-parameter', 'ERR', parameter, 'was added, required')]
      : [found(operation, 'new-optional-request-parameter', 'INFO', parameter, 'was added, optional')];
  });
  return [...ofBase, ...added];
}

function compareParameter(operation: string, { base, revision }: Pair<Parameter>, today: string): readonly Finding[] {
  const { node } = revision;
  const flag = (keyword: string, [set, unset]: readonly [string, string], level: Level): readonly Finding[] => {
    const after = isSet(node, keyword);
    if (isSet(base.node, keyword) === after) return [];
    const rule = `request-parameter-${after ? set : unset}`;
    return [found(operation, rule, after ? level : 'INFO', revision, `is ${after ? '' : 'not '}${keyword}`)];
  };
  const described = {
    subject: 'request-parameter',
    text: textOf(revision.node),
    operation,
    today,
    node,
    name: revision.name,
  } as const;
  const ofSchemas = compareSchemas(described, { base: schemaOf(base.node), revision: schemaOf(node) });
  // A parameter that is always sent has no use for its default.
  const isAlwaysSent = [base, revision].every((parameter) => isSet(parameter.node, 'required'));
  const sunset = findSunsetProblem({ base: base.node, revision: node });
  return [
    ...(sunset === undefined
      ? []
      : [found(operation, `request-parameter-${sunset.aspect}`, 'ERR', revision, sunset.change)]),
    ...flag('required', ['became-required', 'became-optional'], 'ERR'),
    ...flag('deprecated', ['deprecated', 'reactivated'], 'INFO'),
    ...compareEmptiness(operation, { base, revision }),
    ...compareSerialization(operation, { base, revision }),
    ...ofSchemas.filter(({ rule }) => !isAlwaysSent || !rule.startsWith('request-parameter-default-value')),
  ];
}

function compareEmptiness(operation: string, { base, revision }: Pair<Parameter>): readonly Finding[] {
  const [before, after] = [base, revision].map(({ node }) => isSet(node, 'allowEmptyValue'));
  if (before === after) return [];
  const rule = `request-parameter-allow-empty-value-${before === true ? 'removed' : 'added'}`;
  const change = before === true ? 'may no longer be empty' : 'may be empty';
  return [found(operation, rule, before === true ? 'ERR' : 'INFO', revision, change)];
}

function compareSerialization(operation: string, { base, revision }: Pair<Parameter>): readonly Finding[] {
  const [before, after] = [serializationOf(base.node), serializationOf(revision.node)];
  if (before.style !== after.style) {
    const text = `style ${before.style} became ${after.style}`;
    return [found(operation, 'request-parameter-style-changed', 'ERR', revision, text)];
  }
  if (before.explode === after.explode || !before.hasParts || !after.hasParts) return [];
  const text = `explode ${String(before.explode)} became ${String(after.explode)}`;
  return [found(operation, 'request-parameter-explode-changed', 'ERR', revision, text)];
}

function textOf(node: Node): 'once' | 'repeatable' | undefined {
  if (child(node, 'content') !== undefined) return undefined;
  const { style, explode } = serializationOf(node);
  return style === 'form' && explode ? 'repeatable' : 'once';
}

/** Returns how a parameter is serialized, including defaults; `style` is the media type of a parameter with `content`. */
function serializationOf(node: Node) {
  const [mediaType] = children(child(node, 'content')).keys();
  if (mediaType !== undefined) return { style: mediaType, explode: false, hasParts: false };
  const { style, explode } = withDefaultStyle(node.value as Serialization); // The linter has checked its members.
  const types = typesOf(readSchema([schemaOf(node) ?? []].flat()));
  // `explode` does not change how a scalar is written.
  return { style, explode, hasParts: types.includes('array') || types.includes('object') };
}

function schemaOf(parameter: Node): Node | undefined {
  const [content] = children(child(parameter, 'content')).values();
  return rawChild(parameter, 'schema') ?? (content && rawChild(content, 'schema'));
}

function found(operation: string, rule: string, level: Level, { name, node }: Parameter, change: string): Finding {
  return finding(operation, rule, level, node, `${name} ${change}`);
}

/** Returns the parameters by location and name, or position in the path. */
function parametersOf({ path, item, node }: OperationNode): ReadonlyMap<string, Parameter> {
  const positions = [...path.matchAll(/\{([^}]*)\}/g)].map(([, name]) => name);
  const lists = [item, node].map((owner) => child(owner, 'parameters'));
  const parameters = lists.flatMap((list) => elements(list).flatMap((_element, index) => child(list, index) ?? []));
  const keyed = parameters.map((parameter) => {
    const [name = '', location = ''] = [textAt(parameter, 'name'), textAt(parameter, 'in')];
    const id =
      location === 'path' ? String(positions.indexOf(name)) : location === 'header' ? name.toLowerCase() : name;
    return [`${location} ${id}`, { name: `${location} parameter ${name}`, node: parameter }] as const;
  });
  return new Map(keyed.filter(([key]) => !IGNORED_PARAMETERS.test(key)));
}
