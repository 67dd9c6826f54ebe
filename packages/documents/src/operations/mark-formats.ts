import { IN_PLACE_LISTS } from '@contract-first/contract';
import { findConflicts, type LocatedValues } from '../normalize/conflicts.ts';
import type { Declared } from '../document/declared.ts';
import { DECODED, isDecoded } from '../document/decoded-formats.ts';
import { listOperations, type Document } from '../document/document.ts';
import { valueSchemas } from './operation-formats.ts';
import { partsOf } from '../document/operation-parts.ts';
import { dereference } from '../document/reference.ts';
import type { Diagnostic } from '../read/diagnostic.ts';
import { walkDocument } from '../document/walk.ts';

type Schema = Readonly<Record<string, unknown>>;

// A schema with one of these describes other values than strings.
const STRUCTURE = ['properties', 'patternProperties', 'additionalProperties', 'items', 'prefixItems'];

/**
 * Marks the strings that the application decodes, except those that the service cannot identify by their location: they stay
 * strings.
 *
 * @returns a warning for each that stays a string
 */
export function markDecodedFormats(document: Document, { formats, codecs }: Declared): Diagnostic[] {
  if (formats.length === 0) return [];
  markDecoded(document, formats);
  const values = decodedStrings(document);
  const warnings: Diagnostic[] = [];
  // One that stays a string makes others ambiguous that may be at its location.
  for (let known = -1; known !== warnings.length;) {
    known = warnings.length;
    for (const operation of listOperations(document)) {
      for (const [name, root] of valueSchemas(partsOf(document, operation), codecs)) {
        for (const { problem, schemas } of findConflicts(document, root, name, values)) {
          const remaining = schemas.filter(isDecoded);
          for (const schema of remaining) Reflect.deleteProperty(schema, DECODED);
          const names = [...new Set(remaining.map(({ format }) => String(format)))].join(' and ');
          if (remaining.length > 0)
            warnings.push({ pointer: operation.pointer, message: `${names} stays a string: ${problem}` });
        }
      }
    }
  }
  return warnings;
}

/**
 * Marks the schemas of the strings with some formats. One with an `enum` or a `const` is not marked: its type are its values.
 */
function markDecoded(document: Document, formats: readonly string[]): void {
  walkDocument(document, ({ kind, node }) => {
    const { format } = node;
    const isDeclared = typeof format === 'string' && formats.includes(format);
    if (kind === 'schema' && isDeclared && typesOf(node).includes('string') && !hasValues(node))
      Object.assign(node, { [DECODED]: true });
  });
}

/** The strings of a document that the application decodes. Only `null` may be at the same location. */
function decodedStrings(document: Document): LocatedValues {
  return {
    name: 'a format',
    isOne: isDecoded,
    problemsOf(schemas) {
      const decoded = schemas.filter(isDecoded);
      const formats = new Set(decoded.map(({ format }) => format));
      const alternatives = schemas
        .flatMap(({ anyOf, oneOf }) => [anyOf ?? [], oneOf ?? []].flat())
        .map((node) => dereference(document, node));
      const isAmbiguous = formats.size > 1 || schemas.some(allowsOthers) || alternatives.some(allowsAll);
      return decoded.length > 0 && isAmbiguous ? [['may be of another type or format', decoded]] : [];
    },
  };
}

/** Whether a schema by itself describes values other than null and decoded strings. */
function allowsOthers(schema: Schema): boolean {
  const others = typesOf(schema).filter((type) => type !== 'null' && !(type === 'string' && isDecoded(schema)));
  return others.length > 0 || hasValues(schema) || STRUCTURE.some((keyword) => keyword in schema);
}

/** Whether a schema leaves the type of a value open. */
function allowsAll(node: unknown): boolean {
  if (typeof node !== 'object' || node === null) return node === true;
  const combinations = IN_PLACE_LISTS.some((keyword) => keyword in node);
  return !combinations && !allowsOthers(node as Schema) && typesOf(node as Schema).length === 0;
}

function hasValues(schema: Schema): boolean {
  return 'const' in schema || 'enum' in schema;
}

function typesOf({ type }: Schema): readonly unknown[] {
  return [type ?? []].flat();
}
