import { compareChoices, compareWithChoice } from './alternatives.ts';
import { compareCounts } from './bounds.ts';
import { directionOf, report, type Comparison, type Schemas, type Subject } from './comparison.ts';
import { compareItems } from './arrays.ts';
import { compareConditions, compareConstraints } from './constraints.ts';
import { compareDiscriminators } from './discriminator.ts';
import { haveSameText } from './equality.ts';
import type { Finding } from './finding.ts';
import { compareNumbers } from './numbers.ts';
import { PairCache } from './pair-cache.ts';
import { isSet, membersOf, type Pair, type Node } from './node.ts';
import { compareObjects } from './properties.ts';
import { identityOf, keywordNodes, keywordValues, readSchema, type Schema } from './schema-reader.ts';
import { compareTypes, typesOf } from './types.ts';
import { compareDefaults, compareValues, listedValues } from './values.ts';

/** The value that a pair of schemas describes, with the node of findings when one of them is absent. */
export type Described = Pick<Comparison, 'subject' | 'name' | 'operation' | 'today' | 'node' | 'text'>;

/** The findings about a pair of schemas, and the first value that they describe. */
type Cached = { readonly described: Described; readonly nodes: Pair; readonly findings: readonly Finding[] };

/** The findings about the schemas that two references lead to, for each base and revision. */
const cache = new PairCache<Cached>();

/**
 * Compares the schemas of the same value in two documents; an absent one accepts everything. The subject decides the
 * levels: narrowing a request and widening a response are errors.
 */
export function compareSchemas(described: Described, nodes: Pair<Node | undefined>): readonly Finding[] {
  const { base, revision } = nodes;
  if (base === undefined || revision === undefined || !isReference(base) || !isReference(revision))
    return compareOnce(described, nodes);
  const results = cache.of(base.document, revision.document);
  const key = [
    described.subject,
    described.text,
    described.today,
    ...[base, revision].map(({ value }) => JSON.stringify(value)),
  ].join();
  const first = results.get(key);
  if (first !== undefined) return first.findings.map((found) => transfer(found, first, described, { base, revision }));
  const findings = compareOnce(described, { base, revision });
  results.set(key, { described, nodes: { base, revision }, findings });
  return findings;
}

/** Whether a schema is a reference without other keywords. */
function isReference({ value }: Node): boolean {
  const names = Object.keys(membersOf(value));
  return names.length === 1 && names[0] === '$ref';
}

/** Returns a finding about one value as a finding about another value with the same schemas. */
function transfer(found: Finding, first: Cached, { name, operation }: Described, nodes: Pair): Finding {
  const side = found.document === nodes.base.document ? 'base' : 'revision';
  const isOfReference = found.pointer === first.nodes[side].pointer;
  return {
    ...found,
    operation,
    pointer: isOfReference ? nodes[side].pointer : found.pointer,
    message: name + found.message.slice(first.described.name.length),
  };
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
    const findings = [...new Set(compareAt(at, schemas, read))];
    compared.set(key, findings);
    return findings;
  };
  return compare(described, { base: base ? [base] : [], revision: revision ? [revision] : [] });
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
      ...(isListed ? [] : [...compareCounts(at, type, schemas), ...compareConstraints(at, type, schemas)]),
      ...(isListed || type !== 'number' ? [] : compareNumbers(at, schemas)),
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
