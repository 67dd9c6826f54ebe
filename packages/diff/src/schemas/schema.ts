import { resolveReference } from '@contract-first/documents';
import { isTrue, type Node, type NodePair, target } from '../nodes/node.ts';
import { PairCache } from '../nodes/pair-cache.ts';
import { identityOf, keywordNodes, keywordValues, readSchema, type ResolvedSchema } from '../nodes/schema-reader.ts';
import {
  type SchemaComparison,
  type DescribedValue,
  directionOf,
  report,
  type Schemas,
  type Subject,
} from '../rules/comparison.ts';
import type { Finding } from '../rules/finding.ts';
import { compareChoices, compareDiscriminators, compareWithChoice } from './alternatives.ts';
import { compareItems } from './arrays.ts';
import { compareConditions, compareConstraints } from './constraints.ts';
import { haveSameText } from './equality.ts';
import { compareCounts, compareLimits } from './numbers.ts';
import { compareObjects } from './objects.ts';
import { areFiles, compareTypes, typesOf } from './types.ts';
import { compareDefaults, compareValues, listedValues } from './values.ts';
import { compareXml } from './xml.ts';

/** A compared pair of schemas. The names of its findings begin with the name of the value. */
type Compared = {
  readonly name: string;
  findings: readonly Finding[];
  /** The open pairs that this pair leads back to. Until they are complete, their findings are missing here. */
  readonly exits: Exits;
};

/**
 * The open pairs that recursive schemas lead back to: by the depth of the open pair, the name of the value that it
 * describes there.
 */
type Exits = Map<number, string>;

/** The findings about pairs of schemas, for each base and revision. Most schemas belong to many operations. */
const cache = new PairCache<Compared>();

/**
 * Compares the schemas of the same value in two documents. An absent schema accepts everything. The subject determines
 * the levels: narrowing a request and widening a response are errors.
 *
 * A recursive schema is compared once; inside, the two are assumed to be equal. When a pair is complete, its findings
 * complete the pairs inside that lead back to it. So each pair is compared once for all operations.
 */
export function compareSchemas(
  described: DescribedValue,
  { base, revision }: NodePair<Node | undefined>,
): readonly Finding[] {
  const shared = base && revision && cache.of(base.document, revision.document);
  const compared = new Map<string, Compared>();
  /** The depths of the pairs that are being compared. */
  const open = new Map<string, number>();
  /** The compared pairs with exits. */
  const incomplete = new Set<Compared>();
  /** The exits of the values that were compared inside the last open pair. */
  let exits: Exits = new Map();
  return compare(described, { base: base ? [base] : [], revision: revision ? [revision] : [] });

  function compare(value: DescribedValue, schemas: Schemas): readonly Finding[] {
    if (haveSameText(schemas)) return [];
    const { subject, serialization, today } = value;
    const key = [subject, serialization, today, ...[schemas.base, schemas.revision].map(identitiesOf)].join('\n');
    const depth = open.get(key);
    if (depth !== undefined) {
      addExits(exits, [[depth, value.name]]);
      return [];
    }
    const known = compared.get(key) ?? shared?.get(key);
    if (known === undefined) return compareFirst(key, value, schemas);
    addExits(exits, movedExits(known, value.name));
    return movedFindings(known, value);
  }

  function compareFirst(key: string, value: DescribedValue, schemas: Schemas): readonly Finding[] {
    const outside = exits;
    exits = new Map();
    const depth = open.size;
    open.set(key, depth);
    const findings = compareDifferent(value, schemas);
    open.delete(key);
    const pair: Compared = { name: value.name, findings, exits };
    exits.delete(depth);
    for (const inner of incomplete) completeFrom(pair, depth, inner);
    if (exits.size > 0) incomplete.add(pair);
    compared.set(key, pair);
    // Without a node of the revision, the findings have the position of the value, which differs from use to use.
    if (schemas.revision.length > 0) shared?.set(key, pair);
    exits = addExits(outside, exits);
    return findings;
  }

  /** Adds the findings of a pair to a pair that leads back to it. */
  function completeFrom(pair: Compared, depth: number, inner: Compared): void {
    const name = inner.exits.get(depth);
    if (name === undefined) return;
    inner.findings = distinct([...inner.findings, ...movedFindings(pair, { name, operation: described.operation })]);
    inner.exits.delete(depth);
    addExits(inner.exits, movedExits(pair, name));
    if (inner.exits.size === 0) incomplete.delete(inner);
  }

  function compareDifferent(value: DescribedValue, schemas: Schemas): readonly Finding[] {
    const node = schemas.revision[0] ?? value.node;
    const at: SchemaComparison = {
      ...value,
      node,
      part: (step, parts) =>
        compare({ ...value, node, subject: partOf(value.subject), name: `${value.name}/${step}` }, parts),
      same: (parts) => compare({ ...value, node }, parts),
    };
    const read = { base: readSchema(schemas.base), revision: readSchema(schemas.revision) };
    const reference = findMovedReference(schemas);
    const found = distinct(compareAt(at, schemas, read));
    return reference === undefined ? found : found.map((one) => copy(one, { reference }));
  }
}

type Place = Pick<DescribedValue, 'name' | 'operation'>;

/** Returns the findings about a pair as findings about another value. */
function movedFindings({ name: from, findings }: Compared, { name, operation }: Place): readonly Finding[] {
  if (from === name && findings[0]?.operation === operation) return findings;
  return findings.map((one) => copy(one, { operation, name: name + one.name.slice(from.length) }));
}

/** Returns the exits of a pair as exits of another value with that pair. */
function movedExits({ name: from, exits }: Compared, name: string): Exits {
  return new Map([...exits].map(([depth, exit]) => [depth, name + exit.slice(from.length)]));
}

/** Adds exits to open pairs that have no exit yet. */
function addExits(exits: Exits, others: Iterable<readonly [depth: number, name: string]>): Exits {
  for (const [depth, name] of others) if (!exits.has(depth)) exits.set(depth, name);
  return exits;
}

/** The first finding of each copy. Copies are about other values with the same pair of schemas. */
const originals = new WeakMap<Finding, Finding>();

function copy(finding: Finding, changes: Partial<Finding>): Finding {
  const made = { ...finding, ...changes };
  originals.set(made, originals.get(finding) ?? finding);
  return made;
}

/** Returns one finding of each original: about the first value, with a reference if there is one. */
function distinct(findings: readonly Finding[]): readonly Finding[] {
  const found = new Map<Finding, Finding>();
  for (const finding of findings) {
    const original = originals.get(finding) ?? finding;
    const first = found.get(original) ?? finding;
    const { reference } = finding;
    const gains = reference !== undefined && first.reference === undefined;
    found.set(original, gains ? copy(first, { reference }) : first);
  }
  return [...found.values()];
}

/** Finds a `$ref` whose target changed to a different component, not just to a renamed component. */
function findMovedReference({ base, revision }: Schemas): Finding['reference'] {
  const [node, ...others] = revision;
  const [before, after] = [base[0], node].map((one) => one && target(one)?.pointer);
  if (node === undefined || before === undefined || after === undefined || before === after) return undefined;
  const isRenamed = resolveReference(node.document, `#${before}`) === undefined;
  if (isRenamed || base.length > 1 || others.length > 0) return undefined;
  return { document: node.document, pointer: node.pointer, change: `$ref #${before} became #${after}` };
}

function compareAt(at: SchemaComparison, nodes: Schemas, schemas: NodePair<ResolvedSchema>): readonly Finding[] {
  if (!areFiles(at, schemas) && becameRepeatable(at, nodes, schemas)) {
    return [report(at, 'type-generalized', 'widens', 'a list of these values is allowed')];
  }
  const { findings: ofTypes, comparable } = compareTypes(at, schemas);
  if (!comparable) return ofTypes;
  const counts = [schemas.base.choices.length, schemas.revision.choices.length];
  if (counts.includes(0) && counts.includes(1)) {
    const nullability = ofTypes.filter(({ rule }) => rule.endsWith('nullable'));
    return [...nullability, ...compareWithChoice(at, schemas, nodes)];
  }
  // Listed values are already compared, including all limits.
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
      ...(isListed ? [] : type === 'number' ? compareLimits(at, schemas) : compareCounts(at, type, schemas)),
      ...(isListed ? [] : compareConstraints(at, type, schemas)),
      ...(type === 'array' ? compareItems(at, schemas) : []),
      ...(type === 'object' ? compareObjects(at, schemas) : []),
    ]),
    ...compareConditions(at, schemas),
    ...compareDiscriminators(at, schemas),
    ...compareSchemaDeprecation(at, schemas),
    ...(at.serialization === 'xml' ? compareXml(at, schemas) : []),
  ];
}

/** Returns whether a request scalar became a list that may have one item: `?a=1` is a list with one item. */
function becameRepeatable(at: SchemaComparison, nodes: Schemas, { base, revision }: NodePair<ResolvedSchema>): boolean {
  const before = typesOf(base, false);
  // Strings may contain the separator of items.
  const isWithoutSeparator = at.subject === 'request-parameter' && !before.includes('string');
  const isOneItem = at.serialization === 'pairs' || (at.serialization === 'text' && isWithoutSeparator);
  if (!isOneItem || directionOf(at) !== 'request') return false;
  const isScalar = before.every((type) => type !== 'array' && type !== 'object');
  if (!isScalar || !typesOf(revision, false).includes('array')) return false;
  const isShort = keywordValues(revision, 'minItems').every((least) => Number(least) < 2);
  const found = at.same({ base: nodes.base, revision: keywordNodes(revision, 'items') });
  return isShort && found.every(({ level }) => level === 'INFO');
}

/** Returns the types that both schemas allow. Keywords for other types have no effect. */
function commonTypes({ base, revision }: NodePair<ResolvedSchema>): readonly string[] {
  const [before, after] = [base, revision].map((schema) => new Set(typesOf(schema, false).map(kindOfType)));
  return [...(before ?? [])].filter((type) => after?.has(type));
}

function kindOfType(type: string): string {
  return type === 'integer' ? 'number' : type;
}

function compareSchemaDeprecation(
  at: SchemaComparison,
  { base, revision }: NodePair<ResolvedSchema>,
): readonly Finding[] {
  const [before, after] = [base, revision].map(({ leaves }) => leaves.some((leaf) => isTrue(leaf, 'deprecated')));
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
