import { isExtension, isLiteralKeyword } from './keywords.ts';

type Node = Readonly<Record<string, unknown>>;

/**
 * Copies a schema, or an object that contains some, in a simpler form: discriminators are conditions, which Ajv checks faster
 * than `oneOf` and with better messages, and there are no examples and extensions, in which it would take a member `id` for
 * the name of a schema.
 */
export function toAjvSchema<Schema>(schema: Schema): Schema {
  const copy = structuredClone(schema);
  simplifySchemas(copy);
  return copy;
}

function simplifySchemas(node: unknown, parentKey = ''): void {
  if (typeof node !== 'object' || node === null) return;
  simplifyDiscriminator(node as Record<string, unknown>);
  for (const [key, member] of Object.entries(node)) {
    const isData = isLiteralKeyword(key, parentKey);
    const isHint = isExtension(key, parentKey) || (isData && (key === 'example' || key === 'examples'));
    if (isHint) Reflect.deleteProperty(node, key);
    else if (!isData) simplifySchemas(member, key);
  }
}

/** Replaces a discriminator and its list by conditions: for each schema of the list, a value with its names must match. */
function simplifyDiscriminator(node: Record<string, unknown>): void {
  const { discriminator, allOf = [] } = node as { discriminator?: Discriminator; allOf?: readonly unknown[] };
  if (typeof discriminator?.propertyName !== 'string') return;
  delete node['discriminator'];
  const keyword = node['oneOf'] === undefined ? 'anyOf' : 'oneOf';
  const { propertyName, mapping = {} } = discriminator;
  const alternatives = (node[keyword] ?? []) as readonly Node[];
  const namesOf = ({ $ref }: Node): string[] => Object.keys(mapping).filter((name) => mapping[name] === $ref);
  const isNamed = (names: readonly string[]): Node => ({
    type: 'object',
    required: [propertyName],
    properties: { [propertyName]: { enum: names } },
  });
  const named = alternatives.filter((alternative) => namesOf(alternative).length > 0);
  if (named.length === 0) return;
  const others = alternatives.filter((alternative) => !named.includes(alternative));
  const isAny = isNamed(Object.keys(mapping));
  Reflect.deleteProperty(node, keyword);
  node['allOf'] = [
    ...allOf,
    others.length === 0 ? isAny : { anyOf: [isAny, { [keyword]: others }] },
    ...named.map((alternative) => ({ if: isNamed(namesOf(alternative)), then: alternative })),
  ];
}
type Discriminator = { readonly propertyName?: unknown; readonly mapping?: Readonly<Record<string, string>> };
