import { roundBigints, subschemasOf } from '@contract-first/contract';
import { ANNOTATION_KEYWORDS } from '../document/document.ts';
import { describeProperties } from '../document/reference.ts';

type Node = Readonly<Record<string, unknown>>;

// Ajv would treat a member `id` of an example as a schema id.
const WITHOUT_EFFECT = [...ANNOTATION_KEYWORDS, 'example', 'examples', 'contentSchema'];

/**
 * Simplifies a directed schema, which is a copy, in place. Replaces discriminators with conditions, which Ajv validates
 * faster than `oneOf` and with better messages. Removes keywords without effect on validation, except `default`.
 *
 * @param keepsXml whether to keep `xml`, which codecs read
 */
export function toAjvSchema(schema: unknown, keepsXml = false): unknown {
  if (typeof schema !== 'object' || schema === null) return schema;
  simplifyDiscriminator(schema as Node);
  for (const keyword of Object.keys(schema))
    if (keyword.startsWith('x-') || (WITHOUT_EFFECT.includes(keyword) && !(keepsXml && keyword === 'xml')))
      Reflect.deleteProperty(schema, keyword);
  roundBigints(schema as Record<string, unknown>);
  for (const subschema of subschemasOf(schema)) toAjvSchema(subschema, keepsXml);
  return schema;
}

/** Replaces a discriminator and its list with conditions: a value with the names of a schema must match that schema. */
function simplifyDiscriminator(node: Node): void {
  const { discriminator, allOf = [] } = node as { discriminator?: Discriminator; allOf?: readonly unknown[] };
  if (typeof discriminator?.propertyName !== 'string') return;
  Reflect.deleteProperty(node, 'discriminator');
  const keyword = node['oneOf'] === undefined ? 'anyOf' : 'oneOf';
  const { propertyName, mapping = {} } = discriminator;
  const alternatives = (node[keyword] ?? []) as readonly Node[];
  const namesOf = ({ $ref }: Node): string[] => Object.keys(mapping).filter((name) => mapping[name] === $ref);
  const isNamed = (names: readonly string[]): Node => ({
    type: 'object',
    required: [propertyName],
    ...describeProperties({ [propertyName]: { enum: names } }),
  });
  const named = alternatives.filter((alternative) => namesOf(alternative).length > 0);
  if (named.length === 0) return;
  const others = alternatives.filter((alternative) => !named.includes(alternative));
  const isAny = isNamed(Object.keys(mapping));
  Reflect.deleteProperty(node, keyword);
  const conditions = named.map((alternative) => ({ if: isNamed(namesOf(alternative)), then: alternative }));
  const first = others.length === 0 ? isAny : { anyOf: [isAny, { [keyword]: others }] };
  Object.assign(node, { allOf: [...allOf, first, ...conditions] });
}
type Discriminator = { readonly propertyName?: unknown; readonly mapping?: Readonly<Record<string, string>> };
