import { IGNORED_PARAMETERS } from '@contract-first/documents';
import { findEarlyRemoval, findSunsetProblem } from '../rules/deprecation.ts';
import { finding, type Finding, type Level, type FindingContext } from '../rules/finding.ts';
import { child, elements, isTrue, textAt, type NodePair, type Node } from '../nodes/node.ts';
import { compareSerialized } from './serialization.ts';

/** An operation with its path template and path item. */
export type OperationNode = { readonly path: string; readonly item: Node; readonly node: Node };

/** A parameter, or a header of a part of a form, with its name in findings. */
type Parameter = { readonly name: string; readonly node: Node };

/** Compares the parameters of an operation and its path item. Matches path parameters by position, not by name. */
export function compareParameters(
  scope: FindingContext,
  { base, revision }: NodePair<OperationNode>,
): readonly Finding[] {
  return compareAll(scope, { base: parametersOf(base), revision: parametersOf(revision) });
}

/** Compares the headers that clients send with a part of a form, by name. */
export function compareSentHeaders(
  scope: FindingContext,
  { base, revision }: NodePair<ReadonlyMap<string, Node>>,
): readonly Finding[] {
  const named = (headers: ReadonlyMap<string, Node>): ReadonlyMap<string, Parameter> =>
    new Map([...headers].map(([header, node]) => [`header ${header}`, { name: `${scope.name} ${header}`, node }]));
  return compareAll(scope, { base: named(base), revision: named(revision) });
}

function compareAll(
  scope: FindingContext,
  { base: before, revision: after }: NodePair<ReadonlyMap<string, Parameter>>,
): readonly Finding[] {
  const found = (rule: string, level: Level, { name, node }: Parameter, change: string): readonly Finding[] => [
    finding({ ...scope, name }, rule, level, node, change),
  ];
  const ofBase = [...before].flatMap(([key, previous]) => {
    const current = after.get(key);
    if (current !== undefined) {
      return compareParameter({ ...scope, name: current.name }, { base: previous.node, revision: current.node });
    }
    const early = findEarlyRemoval(previous.node, scope.today);
    if (early !== undefined) return found('request-parameter-removed-before-sunset', 'ERR', previous, early);
    return isTrue(previous.node, 'deprecated')
      ? found('request-parameter-removed-with-deprecation', 'INFO', previous, 'was removed')
      : found('request-parameter-removed', 'WARN', previous, 'was removed');
  });
  const added = [...after].flatMap(([key, parameter]) => {
    if (before.has(key)) return [];
    if (key.startsWith('path ')) return found('new-request-path-parameter', 'ERR', parameter, 'was added');
    return isTrue(parameter.node, 'required')
      ? found('new-required-request-parameter', 'ERR', parameter, 'was added, required')
      : found('new-optional-request-parameter', 'INFO', parameter, 'was added, optional');
  });
  return [...ofBase, ...added];
}

function compareParameter(scope: FindingContext, { base, revision }: NodePair): readonly Finding[] {
  const found = (aspect: string, level: Level, change: string): readonly Finding[] => [
    finding(scope, `request-parameter-${aspect}`, level, revision, change),
  ];
  const flag = (keyword: string, [set, unset]: readonly [string, string], level: Level): readonly Finding[] => {
    const after = isTrue(revision, keyword);
    if (isTrue(base, keyword) === after) return [];
    return after ? found(set, level, `is ${keyword}`) : found(unset, 'INFO', `is not ${keyword}`);
  };
  const ofValues = compareSerialized({ ...scope, subject: 'request-parameter' }, { base, revision });
  // The default of a required parameter has no effect.
  const isAlwaysSent = isTrue(base, 'required') && isTrue(revision, 'required');
  const sunset = findSunsetProblem({ base, revision });
  const [couldBeEmpty, mayBeEmpty] = [base, revision].map((node) => isTrue(node, 'allowEmptyValue'));
  const emptiness = mayBeEmpty
    ? found('allow-empty-value-added', 'INFO', 'may be empty')
    : found('allow-empty-value-removed', 'ERR', 'may no longer be empty');
  return [
    ...(sunset === undefined ? [] : found(sunset.aspect, 'ERR', sunset.change)),
    ...flag('required', ['became-required', 'became-optional'], 'ERR'),
    ...flag('deprecated', ['deprecated', 'reactivated'], 'INFO'),
    ...(couldBeEmpty === mayBeEmpty ? [] : emptiness),
    ...ofValues.filter(({ rule }) => !isAlwaysSent || !rule.startsWith('request-parameter-default-value')),
  ];
}

/** Returns the parameters by location and name, or by position in the path. */
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
