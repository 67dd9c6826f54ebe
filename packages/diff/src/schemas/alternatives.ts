import {
  child,
  children,
  elements,
  asObject,
  type Node,
  type NodePair,
  rawChild,
  rootOf,
  target,
  textAt,
} from '../nodes/node.ts';
import {
  type Choice,
  keywordNodes,
  keywordValues,
  type Leaf,
  readSchema,
  type ResolvedSchema,
  withoutChoices,
} from '../nodes/schema-reader.ts';
import { type SchemaComparison, directionOf, report } from '../rules/comparison.ts';
import type { Finding } from '../rules/finding.ts';
import { haveCommonType, typesOf } from './types.ts';
import { listedValues } from './values.ts';

/** An alternative of a `oneOf` or `anyOf`, as a conjunction of nodes. */
type Alternative = { readonly nodes: readonly Node[]; readonly keyword: 'one-of' | 'any-of' };

/** Compares schemas with the same number of choices: first pairs equal choices, then the others in order. */
export function compareChoices(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const compare = (before: Choice, after: Choice): readonly Finding[] =>
    compareAlternatives(at, { base: members(before), revision: members(after) });
  const unpaired = new Set(revision.choices);
  const changed = base.choices.filter((before) => {
    const same = [...unpaired].find((after) => compare(before, after).length === 0);
    if (same !== undefined) unpaired.delete(same);
    return same === undefined;
  });
  const others = [...unpaired];
  const found = changed.flatMap((before, index) => {
    const after = others[index];
    return after === undefined ? [] : compare(before, after);
  });
  return withOverlaps(at, { base, revision }, found);
}

/** Compares a schema with a choice to a schema without a choice, which is split to one alternative per type. */
export function compareWithChoice(
  at: SchemaComparison,
  schemas: NodePair<ResolvedSchema>,
  plain: NodePair<readonly Node[]>,
) {
  const read = (schema: ResolvedSchema, nodes: readonly Node[]): readonly Alternative[] => {
    const [choice] = schema.choices;
    if (choice === undefined) return splitByType(at, schema, nodes);
    const rest = withoutChoices(schema);
    return members(choice).map(({ nodes: own, keyword }) => {
      const nodes = [...rest, ...own];
      const read = readSchema(nodes);
      // A type that extends the schema leads back to the choice.
      const isTaken = read.choices.length > 0 && read.choices.every(({ node }) => node.pointer === choice.node.pointer);
      return { nodes: isTaken ? withoutChoices(read) : nodes, keyword };
    });
  };
  if (matchesSeveral(at, schemas, plain.base)) {
    return [report(at, 'wrapped-in-one-of', 'differs', 'the previous values match two alternatives of oneOf')];
  }
  const base = read(schemas.base, plain.base);
  const revision = read(schemas.revision, plain.revision);
  const whole = (schema: ResolvedSchema, nodes: readonly Node[]): readonly Alternative[] =>
    schema.choices.length === 0 ? [{ nodes, keyword: 'one-of' }] : [];
  const wholes = { base: whole(schemas.base, plain.base), revision: whole(schemas.revision, plain.revision) };
  return withOverlaps(at, schemas, compareAlternatives(at, { base, revision }, wholes));
}

/**
 * Compares each alternative with the best match on the other side, independent of the order.
 *
 * @param wholes a schema without alternatives, which may match several alternatives of the other side
 */
function compareAlternatives(
  at: SchemaComparison,
  all: NodePair<readonly Alternative[]>,
  wholes: NodePair<readonly Alternative[]> = { base: [], revision: [] },
): readonly Finding[] {
  const unpaired = { base: new Set(all.base), revision: new Set(all.revision) };
  const findings: Finding[] = [];
  const compare = (base: Alternative, revision: Alternative): readonly Finding[] =>
    at.same({ base: base.nodes, revision: revision.nodes });
  const pairUp = (matches: (base: Alternative, revision: Alternative) => boolean): void => {
    for (const base of unpaired.base) {
      const revision = [...unpaired.revision].find((one) => matches(base, one));
      if (revision === undefined) continue;
      unpaired.base.delete(base);
      unpaired.revision.delete(revision);
      findings.push(...compare(base, revision));
    }
  };
  pairUp((base, revision) => nameOf(base) !== undefined && nameOf(base) === nameOf(revision));
  pairUp((base, revision) => compare(base, revision).length === 0);

  // Every valid request of the base, and every valid response of the revision, must match some alternative of the other
  // side, even if that alternative is already paired.
  const isRequest = directionOf(at) === 'request';
  for (const one of isRequest ? unpaired.base : unpaired.revision) {
    const pairs = isRequest
      ? [...all.revision, ...wholes.revision].map((revision) => ({ base: one, revision }))
      : [...all.base, ...wholes.base].map((base) => ({ base, revision: one }));
    const match = pairs.find(({ base, revision }) => isHarmless(compare(base, revision)));
    if (match === undefined) continue;
    unpaired.base.delete(match.base);
    unpaired.revision.delete(match.revision);
    findings.push(...compare(match.base, match.revision));
  }
  pairUp((base, revision) => compare(base, revision).every(({ level }) => level !== 'ERR'));
  if (unpaired.base.size === 1 && unpaired.revision.size === 1) pairUp(() => true);
  return [...findings, ...reportUnpaired(at, unpaired, all)];
}

function reportUnpaired(
  at: SchemaComparison,
  unpaired: NodePair<ReadonlySet<Alternative>>,
  all: NodePair<readonly Alternative[]>,
): readonly Finding[] {
  // A base without alternatives cannot lose an alternative; its values match none of the new alternatives.
  const wrapped = all.base.length === 1 && all.revision.length > 1 && unpaired.base.size === 1;
  if (wrapped) return [report(at, 'wrapped-in-one-of', 'differs', 'none of the alternatives is the previous schema')];
  return [
    ...[...unpaired.base].map((one) =>
      report(at, `${one.keyword}-removed`, 'narrows', 'an alternative was removed', one.nodes.at(-1)),
    ),
    ...[...unpaired.revision].map((one) =>
      report(at, `${one.keyword}-added`, 'widens', 'an alternative was added', one.nodes.at(-1)),
    ),
  ];
}

function members({ node, members }: Choice): readonly Alternative[] {
  const keyword = node.pointer.endsWith('anyOf') ? 'any-of' : 'one-of';
  return members.map((member) => ({ nodes: [member], keyword }));
}

function splitByType(at: SchemaComparison, schema: ResolvedSchema, nodes: readonly Node[]): readonly Alternative[] {
  const types = typesOf(schema).filter((type) => type !== 'null');
  if (types.length < 2) return [{ nodes, keyword: 'one-of' }];
  return types.map((type) => ({ nodes: [...nodes, { ...at.node, value: { type } }], keyword: 'one-of' }));
}

/** Returns the reference of an alternative, which identifies the alternative in both documents. */
function nameOf({ nodes }: Alternative): string | undefined {
  const own = nodes.at(-1);
  return own && target(own)?.pointer;
}

function isHarmless(findings: readonly Finding[]): boolean {
  return findings.every(({ level }) => level === 'INFO');
}

/**
 * Adds a finding if a request value may newly match two alternatives of a `oneOf`, which makes it invalid, or if a
 * response value may no longer match two. Not needed if the findings already contain an error.
 */
function withOverlaps(
  at: SchemaComparison,
  { base, revision }: NodePair<ResolvedSchema>,
  found: readonly Finding[],
): readonly Finding[] {
  if (found.some(({ level }) => level === 'ERR')) return found;
  const isRequest = directionOf(at) === 'request';
  const [exclusive, other] = isRequest ? [revision, base] : [base, revision];
  // A discriminator only helps clients to find the alternative of a response.
  const known = isRequest ? exclusiveLists(other) : oneOfLists(other);
  const isSame = (one: Node, two: Node): boolean => {
    const found = at.same({ base: [isRequest ? two : one], revision: [isRequest ? one : two] });
    return found.every(({ rule }) => /property-added$|^new-optional/.test(rule));
  };
  const isKnown = (one: Node, two: Node): boolean =>
    known.some((list) => {
      const partner = list.find((member) => isSame(one, member));
      return partner !== undefined && list.some((member) => member !== partner && isSame(two, member));
    });
  const node = exclusiveLists(exclusive)
    .flatMap((list) => list.flatMap((one, index) => list.slice(index + 1).map((two) => [one, two] as const)))
    .find(([one, two]) => !areDisjoint(one, two) && !isKnown(one, two))?.[0];
  if (node === undefined) return found;
  const text = isRequest
    ? 'a value may match two alternatives of oneOf'
    : 'a value may now match several alternatives of oneOf';
  return [...found, report(at, 'one-of-overlap-changed', 'unsure', text, isRequest ? node : at.node)];
}

/** Returns whether a previously valid request matches two alternatives of a `oneOf`, and is now invalid. */
function matchesSeveral(
  at: SchemaComparison,
  { base, revision }: NodePair<ResolvedSchema>,
  nodes: readonly Node[],
): boolean {
  if (directionOf(at) !== 'request' || base.choices.length > 0) return false;
  const rest = withoutChoices(revision);
  const isMatch = (one: Node): boolean => isHarmless(at.same({ base: nodes, revision: [...rest, one] }));
  return exclusiveLists(revision).some((list) => list.filter(isMatch).length > 1);
}

/** Returns the alternatives of each `oneOf` without a discriminator, which would select a single alternative. */
function exclusiveLists({ leaves, choices }: ResolvedSchema): readonly (readonly Node[])[] {
  return oneOfLists({ leaves: leaves.filter((leaf) => rawChild(leaf, 'discriminator') === undefined), choices });
}

/** Returns the alternatives of each `oneOf`. */
function oneOfLists({ leaves }: ResolvedSchema): readonly (readonly Node[])[] {
  return leaves.map((leaf) => elements(rawChild(leaf, 'oneOf')));
}

/** Returns whether certainly no value matches both schemas: by type, listed values or a required property. */
function areDisjoint(one: Node, other: Node, depth = 0): boolean {
  const schemas = [one, other].map((node) => readSchema([node]));
  const [types = [], otherTypes = []] = schemas.map((schema) => typesOf(schema, false));
  if (!haveCommonType(types, otherTypes)) return true;
  const [values, otherValues] = schemas.map(listedValues);
  if (values !== undefined && otherValues !== undefined && !values.some((value) => otherValues.includes(value)))
    return !(types.includes('null') && otherTypes.includes('null'));
  const isObject = types.every((type) => type === 'object' || !otherTypes.includes(type));
  if (!isObject || depth > 2) return false;
  const [required = [], otherRequired = []] = schemas.map((schema) =>
    keywordValues(schema, 'required').flat().map(String),
  );
  return required.some((name) => {
    if (!otherRequired.includes(name)) return false;
    const [property, otherProperty] = schemas.map((schema) => propertyOf(schema, name));
    return property !== undefined && otherProperty !== undefined && areDisjoint(property, otherProperty, depth + 1);
  });
}

function propertyOf(schema: ResolvedSchema, name: string): Node | undefined {
  const nodes = keywordNodes(schema, 'properties').flatMap((node) => rawChild(node, name) ?? []);
  return nodes[0];
}

/** Compares the property of a discriminator, and its mapped schemas. */
export function compareDiscriminators(
  at: SchemaComparison,
  { base, revision }: NodePair<ResolvedSchema>,
): readonly Finding[] {
  const [before] = keywordNodes(base, 'discriminator');
  const [after] = keywordNodes(revision, 'discriminator');
  const [previous, current] = [before, after].map((node) => textAt(node, 'propertyName'));
  if (previous === undefined || current === undefined) return [];
  if (previous !== current) {
    const text = `the discriminator property ${previous} became ${current}`;
    return [report(at, 'discriminator-property-name-changed', 'differs', text, after)];
  }
  const mappings = { base: mappingOf(base), revision: mappingOf(revision) };
  const found = (aspect: string, effect: 'narrows' | 'unsure', name: string, node: Node): readonly Finding[] => [
    report(at, `discriminator-mapping-${aspect}`, effect, `discriminator value ${name} was ${aspect}`, node),
  ];
  const ofBase = [...mappings.base].flatMap(([name, node]) => {
    const partner = mappings.revision.get(name);
    if (partner !== undefined) return at.same({ base: [node], revision: [partner] });
    const isKept = isListed(revision, node) || isRenamed('base', node);
    return isKept ? found('deleted', 'narrows', name, node) : [];
  });
  // Responses with a new value were valid before, but clients may not handle them.
  const added = [...mappings.revision].filter(([name, node]) => {
    if (mappings.base.has(name)) return false;
    return isListed(base, node) || isRenamed('revision', node);
  });
  const isRequest = directionOf(at) === 'request';

  /** Returns whether a component, whose name is its only value, has another name in the other document. */
  function isRenamed(side: keyof typeof mappings, node: Node): boolean {
    const own = [...mappings[side].values()].filter(({ pointer }) => pointer === node.pointer);
    const property = propertyOf(readSchema([node]), previous ?? '');
    // Listed values are compared with the property.
    const isInSchema = property !== undefined && listedValues(readSchema([property])) !== undefined;
    if (own.length > 1 || isInSchema) return false;
    const others = mappings[side === 'base' ? 'revision' : 'base'].values();
    return others.some((other) => {
      const [base, revision] = side === 'base' ? [node, other] : [other, node];
      return other.pointer !== node.pointer && at.same({ base: [base], revision: [revision] }).length === 0;
    });
  }

  return [...ofBase, ...(isRequest ? [] : added.flatMap(([name, node]) => found('added', 'unsure', name, node)))];
}

/** Returns whether the choice of a schema contains an alternative. Without a choice, every mapped schema counts. */
function isListed(schema: ResolvedSchema, { pointer }: Node): boolean {
  const members = schema.leaves.flatMap(membersOfChoice);
  return members.length === 0 || members.some((member) => member.pointer === pointer);
}

/** Returns the schemas by discriminator value. The names of components in a choice are values, too. */
function mappingOf({ leaves }: ResolvedSchema): ReadonlyMap<string, Node> {
  const entries = leaves.flatMap((leaf) => {
    if (rawChild(leaf, 'discriminator') === undefined) return [];
    const schemas = child(child(rootOf(leaf.document), 'components'), 'schemas');
    const mapping = Object.entries(asObject(child(child(leaf, 'discriminator'), 'mapping')?.value)).map(
      ([name, value]) => [name, mappedSchema(leaf, String(value))] as const,
    );
    const implicit = membersOfChoice(leaf).map((node) => [node.pointer.replace(/.*\//, ''), node] as const);
    if (mapping.length + implicit.length > 0) return [...implicit, ...mapping];
    return [...children(schemas)].filter(([, schema]) => extendsLeaf(schema, leaf));
  });
  return new Map(entries);
}

function membersOfChoice(leaf: Leaf): readonly Node[] {
  return ['oneOf', 'anyOf'].flatMap((keyword) => elements(rawChild(leaf, keyword)).flatMap((one) => target(one) ?? []));
}

function mappedSchema(leaf: Leaf, value: string): Node {
  const $ref = value.startsWith('#') ? value : `#/components/schemas/${value}`;
  const node = { document: leaf.document, pointer: leaf.pointer, value: { $ref } };
  return target(node) ?? node;
}

function extendsLeaf(schema: Node, { pointer }: Leaf): boolean {
  return elements(rawChild(schema, 'allOf')).some((member) => target(member)?.pointer === pointer);
}
