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
import { compareTypes, typesOf } from './types.ts';
import { compareDefaults, compareValues, listedValues } from './values.ts';

/** The findings about a pair of schemas, and the name of the value that they were found for. */
type Compared = { readonly name: string; readonly findings: readonly Finding[] };

/** The findings about pairs of schemas, for each base and revision. Most schemas belong to many operations. */
const cache = new PairCache<Compared>();

/**
 * Compares the schemas of the same value in two documents. An absent schema accepts everything. The subject determines
 * the levels: narrowing a request and widening a response are errors.
 */
export function compareSchemas(
  described: DescribedValue,
  { base, revision }: NodePair<Node | undefined>,
): readonly Finding[] {
  const ofDocuments = base && revision && cache.of(base.document, revision.document);
  /** The findings about the pairs so far. They are reported with the name of the first value. */
  const compared = new Map<string, readonly Finding[]>();
  /** The pairs that are being compared, by the number of pairs around them. */
  const open = new Map<string, number>();
  /** The pairs whose findings depend on an open pair: they are valid in this comparison only. */
  const dependent = new Set<string>();
  /** The outermost open pair that the last comparison has met again. */
  let outermost = Infinity;
  return compare(described, { base: base ? [base] : [], revision: revision ? [revision] : [] });

  function compare(value: DescribedValue, schemas: Schemas): readonly Finding[] {
    if (haveSameText(schemas)) return [];
    const { subject, text, today } = value;
    const key = [subject, text, today, ...[schemas.base, schemas.revision].map(identitiesOf)].join('\n');
    const known = compared.get(key);
    if (known !== undefined) {
      // A recursive schema is compared once; inside, the two are assumed to be equal.
      outermost = Math.min(outermost, open.get(key) ?? (dependent.has(key) ? -1 : Infinity));
      return known;
    }
    const findings = findingsOfOthers(key, value) ?? compareFirst(key, value, schemas);
    compared.set(key, findings);
    return findings;
  }

  /** Returns the findings that another comparison has about the pair, as findings about this value. */
  function findingsOfOthers(key: string, { name, operation }: DescribedValue): readonly Finding[] | undefined {
    const found = ofDocuments?.get(key);
    return found?.findings.map((one) => ({ ...one, operation, name: name + one.name.slice(found.name.length) }));
  }

  function compareFirst(key: string, value: DescribedValue, schemas: Schemas): readonly Finding[] {
    const outer = outermost;
    outermost = Infinity;
    compared.set(key, []);
    open.set(key, open.size);
    const findings = compareDifferent(value, schemas);
    open.delete(key);
    const isDependent = outermost < open.size;
    if (isDependent) dependent.add(key);
    // Without a node of the revision, the findings have the position of the value, which differs from use to use.
    else if (schemas.revision.length > 0) ofDocuments?.set(key, { name: value.name, findings });
    outermost = Math.min(outer, isDependent ? outermost : Infinity);
    return findings;
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
    const found = [...new Set(compareAt(at, schemas, read))];
    return reference === undefined ? found : found.map((one) => ({ ...one, reference }));
  }
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
  if (becameRepeatable(at, nodes, schemas)) {
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
  ];
}

/** Returns whether a request scalar became a list that may have one item: `?a=1` is a list with one item. */
function becameRepeatable(at: SchemaComparison, nodes: Schemas, { base, revision }: NodePair<ResolvedSchema>): boolean {
  if (at.text !== 'repeatable' || directionOf(at) !== 'request') return false;
  const [before, after] = [base, revision].map((schema) => typesOf(schema, false));
  const isScalar = before?.every((type) => type !== 'array' && type !== 'object') === true;
  if (!isScalar || after?.includes('array') !== true) return false;
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
