import {
  canonical,
  IGNORED_KEYWORDS,
  elements,
  isObjectOrList,
  asObject,
  type Node,
  rawChild,
  target,
} from './node.ts';
import { PairCache } from './pair-cache.ts';

/** A schema node whose own keywords apply to a value. */
export type Leaf = Node & {
  /** Whether `null` is allowed regardless of the keywords: `anyOf: [this, { type: 'null' }]`. */
  readonly nullable: boolean;
  /** Whether the node is a `oneOf` or `anyOf` of values, which is read as an `enum`. */
  readonly isChoice?: boolean;
};

/** A `oneOf` or `anyOf` with at least two alternatives other than `null`. */
export type Choice = { readonly node: Node; readonly members: readonly Node[]; readonly nullable: boolean };

/** A schema with references and `allOf` resolved. A value must satisfy every leaf and every choice. */
export type ResolvedSchema = { readonly leaves: readonly Leaf[]; readonly choices: readonly Choice[] };

/** The keywords that apply other schemas to the same value. */
const APPLICATORS = ['$ref', 'allOf', 'oneOf', 'anyOf'];

/** The keywords of a schema that is only a choice. */
const IN_CHOICES = new Set(['oneOf', 'anyOf', ...IGNORED_KEYWORDS]);

/** The cached schemas, for each document and value. */
const schemas = new PairCache<ResolvedSchema>();

/** Reads the conjunction of several schemas. Without schemas, it accepts everything. */
export function readSchema(nodes: readonly (Node | Leaf)[]): ResolvedSchema {
  const [node] = nodes;
  if (nodes.length !== 1 || node === undefined || !isObjectOrList(node.value)) return readConjunction(nodes);
  const cache = schemas.of(node.value, node.document);
  const key = `${node.pointer} ${String('nullable' in node && node.nullable)}`;
  const schema = cache.get(key) ?? readConjunction(nodes);
  cache.set(key, schema);
  return schema;
}

function readConjunction(nodes: readonly (Node | Leaf)[]): ResolvedSchema {
  const leaves: Leaf[] = [];
  const choices: Choice[] = [];
  const seen = new Set<string>();

  const visit = (node: Node, nullable: boolean): void => {
    const id = identityOf({ ...node, nullable });
    if (seen.has(id)) return;
    seen.add(id);

    const referenced = target(node);
    if (referenced !== undefined) visit(referenced, nullable);
    // OpenAPI 3.0 ignores siblings of `$ref`.
    if (referenced !== undefined && isVersion30(node)) return;
    leaves.push({ ...node, nullable, value: respell(node.value) });
    for (const member of elements(rawChild(node, 'allOf'))) visit(member, nullable);
    for (const keyword of ['oneOf', 'anyOf']) {
      const choice = rawChild(node, keyword);
      const all = elements(choice).flatMap((member) => flattenChoice(member));
      const members = all.filter((member) => !acceptsOnlyNull(member));
      const withNull = nullable || members.length < all.length;
      const [only = all[0]] = members;
      if (only !== undefined && members.length < 2) visit(only, withNull);
      if (choice === undefined || members.length < 2) continue;
      const listed = readValues(choice, members, keyword);
      if (listed === undefined) choices.push({ node: choice, members, nullable: withNull });
      else leaves.push({ ...listed, nullable: withNull, isChoice: true });
    }
  };
  for (const node of nodes) visit(node, 'nullable' in node && node.nullable);
  return { leaves, choices };
}

/** The keywords of an alternative that is a list of values. */
const IN_VALUES = new Set(['const', 'enum', 'type', ...IGNORED_KEYWORDS]);

/** Reads a choice of values, each with its own description, as an `enum`; `undefined` for other choices. */
function readValues(choice: Node, members: readonly Node[], keyword: string): Node | undefined {
  const schemas = members.map((member) => asObject((target(member) ?? member).value));
  if (!schemas.every((schema) => Object.keys(schema).every((name) => IN_VALUES.has(name)))) return undefined;
  const all = schemas.flatMap(({ const: constant, enum: values }): readonly unknown[] =>
    Array.isArray(values) ? values : [constant],
  );
  // A value of two alternatives of `oneOf` is invalid.
  const isList = !all.includes(undefined) && (keyword === 'anyOf' || new Set(all.map(canonical)).size === all.length);
  return isList ? { ...choice, value: { enum: all } } : undefined;
}

/** The formats that are encodings. */
const ENCODING_OF: ReadonlyMap<unknown, string> = new Map([
  ['byte', 'base64'],
  ['base64url', 'base64url'],
]);

/** Gives a schema one spelling of encodings and files, which are formats in OpenAPI 3.0 and keywords in 3.1. */
function respell(schema: unknown): unknown {
  if (schema === false) return { type: [] };
  const { format, ...others } = asObject(schema);
  const encoding = ENCODING_OF.get(format);
  if (encoding !== undefined) return { contentEncoding: encoding, ...others };
  const isFile = others['contentMediaType'] === 'application/octet-stream' && others['contentEncoding'] === undefined;
  return isFile ? { ...others, contentMediaType: undefined, format: 'binary' } : schema;
}

/** Returns the keywords of a schema without its choices, for a conjunction with an alternative. */
export function withoutChoices({ leaves }: ResolvedSchema): readonly Leaf[] {
  return leaves.map((leaf) => {
    const own = Object.entries(asObject(leaf.value)).filter(([name]) => !APPLICATORS.includes(name));
    return { ...leaf, value: Object.fromEntries(own) };
  });
}

/** Returns a unique key for a node. The key includes its keywords, since some nodes omit a part of their schema. */
export function identityOf(node: Node & { readonly nullable?: boolean }): string {
  const shape = isObjectOrList(node.value) ? shapeOf(node.value) : String(node.value);
  return `${node.pointer} ${String(node.nullable === true)} ${shape}`;
}

const shapes = new WeakMap<object, string>();

function shapeOf(schema: Readonly<Record<string, unknown>>): string {
  const cached = shapes.get(schema);
  if (cached !== undefined) return cached;
  const shape = `${Object.keys(schema).join()} ${JSON.stringify(schema['type'] ?? null)}`;
  shapes.set(schema, shape);
  return shape;
}

/** Returns the values of a keyword in all leaves that have it. */
export function keywordValues({ leaves }: ResolvedSchema, keyword: string): readonly unknown[] {
  return leaves.flatMap(({ value }) => asObject(value)[keyword] ?? []);
}

/** Returns the nodes of a keyword in all leaves that have it. */
export function keywordNodes({ leaves }: ResolvedSchema, keyword: string): readonly Node[] {
  return leaves.flatMap((leaf) => rawChild(leaf, keyword) ?? []);
}

/** Returns the nodes that list the values of a schema. */
export function valueNodes({ leaves }: ResolvedSchema): readonly Node[] {
  const lists = ['enum', 'const'].flatMap((keyword) =>
    leaves.flatMap((leaf) => (leaf.isChoice === true ? [] : (rawChild(leaf, keyword) ?? []))),
  );
  return [...lists, ...leaves.filter(({ isChoice }) => isChoice === true)];
}

/** Returns whether a document is OpenAPI 3.0, whose schemas differ from JSON Schema. */
export function isVersion30({ document }: Node): boolean {
  return document.openapi.startsWith('3.0');
}

/** Returns the nested alternatives of an alternative that is only a choice, else the alternative itself. */
function flattenChoice(member: Node, seen: readonly string[] = []): readonly Node[] {
  const node = target(member) ?? member;
  const choices = ['oneOf', 'anyOf'].flatMap((keyword) => rawChild(node, keyword) ?? []);
  const isChoiceOnly = choices.length === 1 && Object.keys(asObject(node.value)).every((key) => IN_CHOICES.has(key));
  if (!isChoiceOnly || seen.includes(node.pointer)) return [member];
  return elements(choices[0]).flatMap((inner) => flattenChoice(inner, [...seen, node.pointer]));
}

/** Returns whether a schema, its target, a member of its `allOf` or all its alternatives allow only null. */
function acceptsOnlyNull(node: Node, seen: readonly string[] = []): boolean {
  if (seen.includes(node.pointer)) return false;
  const { type, const: constant, enum: values } = asObject(node.value);
  const [only, ...others] = [type].flat();
  if (only === 'null' && others.length === 0) return true;
  if (constant === null || (Array.isArray(values) && values.every((value) => value === null))) return true;
  const isNull = (part: Node): boolean => acceptsOnlyNull(part, [...seen, node.pointer]);
  const [all, ...choices] = ['allOf', 'oneOf', 'anyOf'].map((keyword) => elements(rawChild(node, keyword)));
  const parts = [target(node) ?? [], all ?? []].flat();
  return parts.some(isNull) || choices.some((alternatives) => alternatives.length > 0 && alternatives.every(isNull));
}
