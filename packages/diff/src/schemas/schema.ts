import { stringifyJson } from '@contract-first/contract';
import { resolveReference } from '@contract-first/documents';
import { isSet, membersOf, type Node, type Pair, target } from '../nodes/node.ts';
import { PairCache } from '../nodes/pair-cache.ts';
import { identityOf, keywordNodes, keywordValues, readSchema, type Schema } from '../nodes/schema-reader.ts';
import {
  type Comparison,
  type Described,
  directionOf,
  report,
  type Schemas,
  type Subject,
} from '../rules/comparison.ts';
import type { Finding, Position } from '../rules/finding.ts';
import { compareChoices, compareDiscriminators, compareWithChoice } from './alternatives.ts';
import { compareItems } from './arrays.ts';
import { compareConditions, compareConstraints } from './constraints.ts';
import { haveSameText } from './equality.ts';
import { compareCounts, compareNumbers } from './numbers.ts';
import { compareObjects } from './objects.ts';
import { compareTypes, typesOf } from './types.ts';
import { compareDefaults, compareValues, listedValues } from './values.ts';

/** The findings about a pair of schemas, and the first value that they describe. */
type Cached = { readonly name: string; readonly nodes: Pair; readonly findings: readonly Finding[] };

/** The findings about the schemas that two references lead to, for each base and revision. */
const cache = new PairCache<Cached>();

/**
 * Compares the schemas of the same value in two documents; an absent one accepts everything. The subject decides the
 * levels: narrowing a request and widening a response are errors.
 */
export function compareSchemas(described: Described, { base, revision }: Pair<Node | undefined>): readonly Finding[] {
  if (base === undefined || revision === undefined || !isReference(base) || !isReference(revision))
    return compareOnce(described, { base, revision });
  const results = cache.of(base.document, revision.document);
  const { subject, text, today, name } = described;
  const key = [subject, text, today, ...[base, revision].map(({ value }) => stringifyJson(value))].join();
  const first = results.get(key);
  if (first !== undefined) return first.findings.map((found) => transfer(found, first, described, { base, revision }));
  const findings = compareOnce(described, { base, revision });
  results.set(key, { name, nodes: { base, revision }, findings });
  return findings;
}

/** Whether a schema is a reference without other keywords. */
function isReference({ value }: Node): boolean {
  const names = Object.keys(membersOf(value));
  return names.length === 1 && names[0] === '$ref';
}

/** Returns a finding about one value as a finding about another value with the same schemas. */
function transfer(found: Finding, first: Cached, { name, operation }: Described, nodes: Pair): Finding {
  const move = <T extends Position>(position: T): T => {
    const side = position.document === nodes.base.document ? 'base' : 'revision';
    return position.pointer === first.nodes[side].pointer ? { ...position, pointer: nodes[side].pointer } : position;
  };
  const reference = found.reference && move(found.reference);
  return { ...move(found), operation, reference, name: name + found.name.slice(first.name.length) };
}

function compareOnce(described: Described, { base, revision }: Pair<Node | undefined>): readonly Finding[] {
  const compared = new Map<string, readonly Finding[]>();

  const compare = (value: Described, schemas: Schemas): readonly Finding[] => {
    if (haveSameText(schemas)) return [];
    const key = [value.subject, ...[schemas.base, schemas.revision].map(identitiesOf)].join('\n');
    const cached = compared.get(key);
    if (cached !== undefined) return cached;
    // A recursive schema is compared once; inside, the two are assumed to be equal.
    compared.set(key, []);
    const node = schemas.revision[0] ?? value.node;
    const at: Comparison = {
      ...value,
      node,
      part: (step, parts) =>
        compare({ ...value, node, subject: partOf(value.subject), name: `${value.name}/${step}` }, parts),
      same: (parts) => compare({ ...value, node }, parts),
    };
    const read = { base: readSchema(schemas.base), revision: readSchema(schemas.revision) };
    const reference = findMovedReference(schemas);
    const found = [...new Set(compareAt(at, schemas, read))];
    const findings = reference === undefined ? found : found.map((one) => ({ ...one, reference }));
    compared.set(key, findings);
    return findings;
  };
  return compare(described, { base: base ? [base] : [], revision: revision ? [revision] : [] });
}

/** Finds a `$ref` that leads to another component than before. A renamed component is not another one. */
function findMovedReference({ base, revision }: Schemas): Finding['reference'] {
  const [node, ...others] = revision;
  const [before, after] = [base[0], node].map((one) => one && target(one)?.pointer);
  if (node === undefined || before === undefined || after === undefined || before === after) return undefined;
  const isRenamed = resolveReference(node.document, `#${before}`) === undefined;
  if (isRenamed || base.length > 1 || others.length > 0) return undefined;
  return { document: node.document, pointer: node.pointer, change: `$ref #${before} became #${after}` };
}

function compareAt(at: Comparison, nodes: Schemas, schemas: Pair<Schema>): readonly Finding[] {
  if (becameRepeatable(at, nodes, schemas)) {
    return [report(at, 'type-generalized', 'widens', 'a list of such values is allowed')];
  }
  const { findings: ofTypes, comparable } = compareTypes(at, schemas);
  if (!comparable) return ofTypes;
  const counts = [schemas.base.choices.length, schemas.revision.choices.length];
  if (counts.includes(0) && counts.includes(1)) {
    const nullability = ofTypes.filter(({ rule }) => rule.endsWith('nullable'));
    return [...nullability, ...compareWithChoice(at, schemas, nodes)];
  }
  // Listed values have been compared with all limits.
  const isListed = listedValues(schemas.base) !== undefined && listedValues(schemas.revision) !== undefined;
  const ofChoices =
    counts[0] === counts[1]
      ? compareChoices(at, schemas)
      : [report(at, 'choices-changed', 'unsure', 'oneOf and anyOf were changed in a way that is not analysed')];
  return [
    ...(ofChoices.length > 0 && counts[0] !== 0 ? ofTypes.filter(({ rule }) => rule.endsWith('nullable')) : ofTypes),
    ...ofChoices,
    ...compareValues(at, schemas),
    ...compareDefaults(at, schemas),
    ...commonTypes(schemas).flatMap((type) => [
      ...(isListed ? [] : type === 'number' ? compareNumbers(at, schemas) : compareCounts(at, type, schemas)),
      ...(isListed ? [] : compareConstraints(at, type, schemas)),
      ...(type === 'array' ? compareItems(at, schemas) : []),
      ...(type === 'object' ? compareObjects(at, schemas) : []),
    ]),
    ...compareConditions(at, schemas),
    ...compareDiscriminators(at, schemas),
    ...compareDeprecation(at, schemas),
  ];
}

/** Whether a scalar of a request became a list of one or more: `?a=1` is a list with one item. */
function becameRepeatable(at: Comparison, nodes: Schemas, { base, revision }: Pair<Schema>): boolean {
  if (at.text !== 'repeatable' || directionOf(at) !== 'request') return false;
  const [before, after] = [base, revision].map((schema) => typesOf(schema, false));
  const isScalar = before?.every((type) => type !== 'array' && type !== 'object') === true;
  if (!isScalar || after?.includes('array') !== true) return false;
  const isShort = keywordValues(revision, 'minItems').every((least) => Number(least) < 2);
  const found = at.same({ base: nodes.base, revision: keywordNodes(revision, 'items') });
  return isShort && found.every(({ level }) => level === 'INFO');
}

/** Returns the types that both schemas allow: keywords for values of other types have no effect. */
function commonTypes({ base, revision }: Pair<Schema>): readonly string[] {
  const [before, after] = [base, revision].map((schema) => new Set(typesOf(schema, false).map(kindOfType)));
  return [...(before ?? [])].filter((type) => after?.has(type));
}

function kindOfType(type: string): string {
  return type === 'integer' ? 'number' : type;
}

function compareDeprecation(at: Comparison, { base, revision }: Pair<Schema>): readonly Finding[] {
  const [before, after] = [base, revision].map(({ leaves }) => leaves.some((leaf) => isSet(leaf, 'deprecated')));
  if (before === after || !at.subject.endsWith('property')) return [];
  return [
    report(at, after ? 'deprecated' : 'reactivated', 'none', after ? 'is deprecated' : 'is no longer deprecated'),
  ];
}

function partOf(subject: Subject): Subject {
  if (subject === 'request-parameter' || subject === 'request-parameter-property') return 'request-parameter-property';
  if (subject === 'response-header') return subject;
  return directionOf({ subject }) === 'request' ? 'request-property' : 'response-property';
}

function identitiesOf(nodes: readonly Node[]): string {
  return [...new Set(nodes.map(identityOf))].sort().join('\t');
}
