import { stringifyJson } from '@contract-first/contract';
import { ANNOTATION_KEYWORDS, type Document, type ResponseObject } from '../document/document.ts';
import { dereference, resolveSchema, schemasInPlace } from '../document/reference.ts';
import { textTypeOf } from '../document/text-types.ts';
import { walkDocument } from '../document/walk.ts';
import { discriminatorOf } from '../normalize/discriminators.ts';
import type { Diagnostic } from '../read/diagnostic.ts';

type Node = Readonly<Record<string, unknown>>;

const WITHOUT_CONTENT = /\/responses\/(?:1\w\w|204|205|304)$/;

/**
 * Removes contradictory parts, in place, which no request or response could satisfy: a type that no `enum` value or no
 * alternative has, `additionalProperties: false` beside a required property that is not listed, a discriminator that is
 * not a string, the second of two equal schemas in `oneOf`, and the content of a response without content (RFC 9110,
 * 6.4.1).
 *
 * @returns a warning for each removed part
 */
export function removeContradictions(document: Document): Diagnostic[] {
  const warnings: Diagnostic[] = [];
  walkDocument(document, ({ kind, node, pointer, holder, key }) => {
    if (kind === 'response' && !pointer.startsWith('#/components/') && WITHOUT_CONTENT.test(pointer)) {
      const { content, ...response } = dereference<ResponseObject>(document, node);
      if (content === undefined) return;
      if (Object.keys(content).length > 0)
        warnings.push({ pointer, message: `the content is not used, since a response ${key} has none` });
      holder[key] = response;
      return;
    }
    if (kind !== 'schema') return;
    for (const removeFrom of [removeType, removeTypeOfAlternatives, removeClosure, removeDiscriminator, removeCopies]) {
      const message = removeFrom(node, document);
      if (message !== undefined) warnings.push({ pointer, message });
    }
  });
  return warnings;
}

function removeType(schema: Record<string, unknown>): string | undefined {
  const { type, enum: values } = schema;
  const types: readonly unknown[] = [type].flat();
  if (type === undefined || !Array.isArray(values) || values.some((value) => types.some(hasType(value))))
    return undefined;
  delete schema['type'];
  if (types.includes('null')) schema['enum'] = [...(values as readonly unknown[]), null];
  const unused = types.filter((name) => name !== 'null').map((name) => JSON.stringify(name));
  return `the type ${unused.join(' or ')} is not used, since no enum value has this type`;
}

function removeTypeOfAlternatives(schema: Node, document: Document): string | undefined {
  const { type, oneOf, anyOf = oneOf } = schema;
  if (type === undefined || !Array.isArray(anyOf)) return undefined;
  const others = anyOf.flatMap((part) => resolveSchema(document, part).type ?? 'any');
  const isShared = [type].flat().some((name) => others.some((other) => other === 'any' || isSameType(name, other)));
  if (isShared) return undefined;
  Reflect.deleteProperty(schema, 'type');
  return `the type ${JSON.stringify(type)} is not used, since no alternative has this type`;
}

function isSameType(one: unknown, other: unknown): boolean {
  const isNumber = [one, other].every((type) => type === 'integer' || type === 'number');
  return one === other || isNumber;
}

function removeClosure(schema: Node, document: Document): string | undefined {
  const { additionalProperties, properties, patternProperties } = schema;
  if (additionalProperties !== false || patternProperties !== undefined) return undefined;
  const parts = [...schemasInPlace(document, schema, ['allOf'])];
  const required = new Set(parts.flatMap((part) => part.required ?? []));
  const excluded = [...required].filter((name) => !Object.hasOwn(Object(properties) as Node, name));
  if (excluded.length === 0) return undefined;
  Reflect.deleteProperty(schema, 'additionalProperties');
  return `additionalProperties: false is not used, since ${excluded.join(', ')} is required: list it beside, or write unevaluatedProperties`;
}

function removeDiscriminator(schema: Node, document: Document): string | undefined {
  const { propertyName } = discriminatorOf(schema) ?? {};
  if (propertyName === undefined) return undefined;
  const { oneOf, anyOf } = schema;
  const parts = [schema, oneOf, anyOf].flat().flatMap((part) => [...schemasInPlace(document, part, ['allOf'])]);
  const types = parts.map(({ properties = {} }) => textTypeOf(document, properties[propertyName]));
  if (types.every(({ scalars }) => scalars.includes('string'))) return undefined;
  Reflect.deleteProperty(schema, 'discriminator');
  return `the discriminator is not used, since ${propertyName} is not a string`;
}

function removeCopies(schema: Node, document: Document): string | undefined {
  const { oneOf, discriminator } = schema;
  if (!Array.isArray(oneOf) || discriminator !== undefined) return undefined;
  const texts = oneOf.map((part) => stringifyJson(withoutAnnotations(dereference(document, part))));
  const distinct = oneOf.filter((_part, index) => texts.indexOf(texts[index] ?? '') === index);
  if (distinct.length === oneOf.length) return undefined;
  Object.assign(schema, { oneOf: distinct });
  return 'equal schemas in oneOf count as one: a value would match all or none of them';
}

function hasType(value: unknown): (type: unknown) => boolean {
  const isBigint = typeof value === 'bigint';
  const name = value === null ? 'null' : Array.isArray(value) ? 'array' : isBigint ? 'number' : typeof value;
  return (type) => type === name || (type === 'integer' && (isBigint || Number.isInteger(value)));
}

/** Copies a schema without keywords that do not affect validation. */
function withoutAnnotations(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutAnnotations);
  if (typeof schema !== 'object' || schema === null) return schema;
  const kept = Object.entries(schema).filter(
    // Keeps a property that has the name of an annotation: its value is a schema, which is an object.
    ([keyword, value]) => ![...ANNOTATION_KEYWORDS, 'example'].includes(keyword) || typeof value === 'object',
  );
  return Object.fromEntries(kept.map(([keyword, value]) => [keyword, withoutAnnotations(value)]));
}
