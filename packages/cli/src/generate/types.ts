import { DECODED, unusedName, walkDocument, type Document } from '@contract-first/documents';
import { renderDeclarations } from './declarations.ts';
import { createSchemaTypes, DECODED_TYPE, WITH_REQUIRED } from './schema-type.ts';
import { typeNamed } from './type-text.ts';
import { toTypedDocument } from './typed-document.ts';

/**
 * Renders the types of a document. `operations` has the requests as handlers receive them, `paths` as clients send them,
 * and both have the same responses, apart from decoded strings: clients see JSON.
 *
 * @param codecs the media types that the application has codecs for
 * @param formats the module with the formats of the application, as `generated/types.ts` imports it
 */
export function renderTypes(original: Document, codecs: readonly string[] = [], formats?: string): string {
  const [paths = '', ...others] = renderParts(original, codecs);
  const text = [paths, ...others].join('\n');
  const helpers = text.includes('WithRequired<') ? [WITH_REQUIRED] : [];
  if (formats === undefined || !text.includes('Decoded<"')) return [text, ...helpers, ''].join('\n');
  return [
    `import type { formats } from ${JSON.stringify(formats)};`,
    ...others,
    ...helpers,
    DECODED_TYPE,
    '/** The types of a client, whose strings are not decoded. */',
    `declare namespace json {\n${renderParts(withoutDecoding(original), codecs).join('\n')}\n}`,
    'export type paths = json.paths;',
    '',
  ].join('\n');
}

/** Renders the declarations of a document, `paths` first. */
function renderParts(original: Document, codecs: readonly string[]): readonly string[] {
  const document = toTypedDocument(original, codecs);
  const { schemas = {} } = document.components ?? {};
  const plain = createSchemaTypes(document, new Map());
  const types = new Map(Object.entries(schemas).map(([name, schema]) => [name, plain.typeOf(schema)]));
  const references = new Map([...types].map(([name, type]) => [name, new Set(type.references)]));
  const aliases = new Map<string, string>();
  for (const name of references.keys())
    if (reaches(references, name)) aliases.set(name, unusedAlias(name, [...aliases.values()]));
  const aliased = createSchemaTypes(document, aliases);
  const recursive = [...aliases].map(([name, alias]) => `type ${alias} = ${aliased.typeOf(schemas[name]).text};`);
  for (const [name, alias] of aliases) types.set(name, typeNamed(alias));
  return [...renderDeclarations(document, types, plain, codecs), ...recursive];
}

/** Copies a document without the marks of strings that the application decodes. */
function withoutDecoding(original: Document): Document {
  const document = structuredClone(original);
  walkDocument(document, ({ kind, node }) => {
    if (kind === 'schema') Reflect.deleteProperty(node, DECODED);
  });
  return document;
}

/** Whether a name reaches itself. */
function reaches(references: ReadonlyMap<string, ReadonlySet<string>>, name: string): boolean {
  const reached = new Set<string>();
  const next = [...(references.get(name) ?? [])];
  for (let current = next.pop(); current !== undefined; current = next.pop()) {
    if (reached.has(current)) continue;
    reached.add(current);
    next.push(...(references.get(current) ?? []));
  }
  return reached.has(name);
}

function unusedAlias(name: string, taken: readonly string[]): string {
  return unusedName(`Recursive${name.replaceAll(/\W/g, '_')}`, (other) => taken.includes(other));
}
