import { keywordsWhere } from '@contract-first/contract';
import { convertLimits } from './dialects.ts';
import { copyOf, type FileObject, isFileObject, type SourceFile, visitObjects } from './file-objects.ts';

/** A kind of keyword that JSON Schema 2020-12 does not have, such as keywords of OpenAPI 3.0, and whose meaning is clear. */
type Kind = {
  readonly isIn: (schema: FileObject) => boolean;
  readonly convert: (schema: FileObject) => void;
  readonly message: string;
  /** Whether documents of OpenAPI 3.0 may have the keyword. */
  readonly isInVersion30?: true;
};

const KINDS: readonly Kind[] = [
  {
    isIn: ({ nullable }) => typeof nullable === 'boolean',
    convert: convertNullable,
    message: 'nullable is read as in OpenAPI 3.0, where it allows null beside a type: write type: [string, "null"]',
    isInVersion30: true,
  },
  {
    isIn: (schema) => ['exclusiveMinimum', 'exclusiveMaximum'].some((name) => typeof schema[name] === 'boolean'),
    convert: convertLimits,
    message: 'exclusiveMinimum and exclusiveMaximum are read as in OpenAPI 3.0: write numbers',
    isInVersion30: true,
  },
  {
    isIn: ({ type }) => Array.isArray(type) && type.includes(null),
    convert: (schema) => {
      schema['type'] = (schema['type'] as readonly unknown[]).map((name) => name ?? 'null');
    },
    message: 'null in a list of types is read as "null": write it in quotes',
  },
  {
    isIn: (schema) => nullAlternatives(schema).length > 0,
    convert: (schema) => {
      for (const alternative of nullAlternatives(schema)) alternative['type'] = 'null';
    },
    message: 'null as the type of an alternative is read as "null": write it in quotes',
  },
  {
    isIn: (schema) => NOT_EMPTY.some((name) => isEmptyList(schema[name])),
    convert: (schema) => {
      for (const name of NOT_EMPTY) if (isEmptyList(schema[name])) Reflect.deleteProperty(schema, name);
    },
    message: 'an empty list of types or schemas is ignored: JSON Schema requires an item',
  },
  {
    // Other objects have examples by name, and no type.
    isIn: ({ type, examples }) => type !== undefined && examples !== undefined && !Array.isArray(examples),
    convert: (schema) => Reflect.deleteProperty(schema, 'examples'),
    message: 'examples are ignored: write a list',
  },
];

/** The keywords whose lists must have an item. */
const NOT_EMPTY = ['type', ...keywordsWhere(({ holds }) => holds === 'list')];

/** A warning about a keyword. */
export type OldKeywordWarning = { readonly file: SourceFile; readonly pointer: string; readonly message: string };

/** Reads keywords that the version of a document does not have, such as `nullable` in OpenAPI 3.1. */
export class OldKeywords {
  /** A warning for each keyword in the files that were converted. */
  readonly warnings: OldKeywordWarning[] = [];

  /** Returns a file of a document without these keywords; the same file if it had none. */
  convert(file: SourceFile, isVersion30: boolean): SourceFile {
    const kinds = KINDS.filter(({ isInVersion30 = false }) => !(isVersion30 && isInVersion30));
    const found: OldKeywordWarning[] = [];
    visitObjects(file.parsed, (node, pointer) => {
      for (const { isIn, message } of kinds) if (isIn(node)) found.push({ file, pointer, message });
    });
    if (found.length === 0) return file;
    this.warnings.push(...found);
    const parsed = copyOf(file.parsed);
    visitObjects(parsed, (node) => {
      for (const { isIn, convert } of kinds) if (isIn(node)) convert(node);
    });
    return { ...file, parsed };
  }
}

/** Returns the alternatives of a schema whose only keyword is `type: null`. Elsewhere, the type may have been forgotten. */
function nullAlternatives({ anyOf, oneOf }: FileObject): readonly FileObject[] {
  const isNull = (part: unknown): part is FileObject =>
    isFileObject(part) && part['type'] === null && Object.keys(part).length === 1;
  return [anyOf, oneOf].flat().filter(isNull);
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0;
}

/** Replaces `nullable`. Without a type in the same schema, it has no effect (OpenAPI 3.0.3, 4.7.24.1). */
export function convertNullable(schema: FileObject): void {
  const { type, nullable } = schema;
  if (nullable === true && type !== undefined) schema['type'] = [...new Set([type, 'null'].flat())];
  Reflect.deleteProperty(schema, 'nullable');
}
