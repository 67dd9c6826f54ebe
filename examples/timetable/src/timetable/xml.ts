import { parseXml, XmlElement, XmlError } from '@rgrove/parse-xml';
import type { Codec, CodedBody } from '@contract-first/engine';

type Schema = {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly xml?: { readonly name?: string; readonly attribute?: boolean; readonly wrapped?: boolean };
};
type Schemas = CodedBody['schemas'];
/** A validated value without members. */
type Scalar = string | number | bigint | boolean;

/** A codec for XML with the names, attributes and lists that `xml` in the schemas describes; without namespaces. */
export const xml: Codec = {
  decode(bytes, { contentType, schema, schemas }) {
    const charset = /;\s*charset="?([^";\s]+)/i.exec(contentType)?.[1] ?? 'utf-8';
    const text = new TextDecoder(charset, { fatal: true }).decode(bytes);
    // Normalizes line ends first (XML 1.0, 2.11), for which the parser would take quadratic time.
    const root = parse(text.replaceAll(/\r\n?/g, '\n'));
    const { tag } = describe(schema as Schema, root.name, schemas);
    if (root.name !== tag) throw new SyntaxError(`the root element must be ${tag}`);
    return read(root, schema as Schema, schemas);
  },
  encode(value, { schema, schemas }) {
    const { tag } = describe(schema as Schema, 'root', schemas);
    return `<?xml version="1.0" encoding="UTF-8"?>\n${write(tag, value, schema as Schema, schemas)}\n`;
  },
};

/** Parses XML. Rejects references to entities of a document type. */
function parse(text: string): XmlElement {
  try {
    return parseXml(text).root as XmlElement; // A document without a root is a syntax error.
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    // Only the first line: the other lines quote the text.
    throw new SyntaxError(error.message.split('\n', 1)[0], { cause: error });
  }
}

/** Merges a schema with the target of its reference and with its `allOf`. */
function merge({ $ref, allOf = [], ...own }: Schema, schemas: Schemas): Schema {
  const target = $ref === undefined ? [] : [schemas[$ref] as Schema]; // Validated by the generator.
  let merged: Schema = {};
  for (const part of [...[...target, ...allOf].map((part) => merge(part, schemas)), own])
    merged = { ...merged, ...part, properties: { ...merged.properties, ...part.properties } };
  return merged;
}

/** Describes the XML of a value. The tag of an unwrapped list is the tag of its items. */
function describe(schema: Schema, name: string, schemas: Schemas) {
  const { type, properties = {}, items = {}, xml = {} } = merge(schema, schemas);
  const isUnwrapped = type === 'array' && xml.wrapped !== true;
  const own = isUnwrapped ? name : (xml.name ?? name);
  const itemTag = merge(items, schemas).xml?.name ?? own;
  const [tag, isAttribute] = [isUnwrapped ? itemTag : own, xml.attribute === true];
  return { type, properties, items, tag, itemTag, isUnwrapped, isAttribute };
}

/** Converts an element to a value. Ignores undescribed attributes and children. */
function read({ name, text, attributes, children }: XmlElement, schema: Schema, schemas: Schemas): unknown {
  const { type, properties, items, itemTag } = describe(schema, name, schemas);
  const elements = children.filter((child) => child instanceof XmlElement);
  const readAll = (tag: string, item: Schema): unknown[] =>
    elements.filter((element) => element.name === tag).map((element) => read(element, item, schemas));
  if (type === 'array') return readAll(itemTag, items);
  if (type !== 'object') return toScalar(text, type);
  const members = Object.entries(properties).flatMap(([key, own]): [string, unknown][] => {
    const part = describe(own, key, schemas);
    const attribute = attributes[part.tag];
    if (part.isAttribute) return attribute === undefined ? [] : [[key, toScalar(attribute, part.type)]];
    if (part.isUnwrapped) return [[key, readAll(part.tag, part.items)]];
    const found = readAll(part.tag, own);
    if (found.length > 1) throw new SyntaxError(`${name} has ${part.tag} twice`);
    return found.map((value) => [key, value]);
  });
  return Object.fromEntries(members);
}

/** Converts a text to the type of its schema. Returns other texts unchanged, for validation by the engine. */
function toScalar(text: string, type: Schema['type']): unknown {
  const trimmed = text.trim();
  if (type === 'integer' && /^[+-]?\d{1,19}$/.test(trimmed)) return BigInt(trimmed);
  if (type === 'number' && /^[+-]?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/i.test(trimmed)) return Number(trimmed);
  if (type === 'boolean' && /^(?:true|false|1|0)$/.test(trimmed)) return trimmed === 'true' || trimmed === '1';
  return text;
}

function write(tag: string, value: unknown, schema: Schema, schemas: Schemas): string {
  const { properties, items, itemTag } = describe(schema, tag, schemas);
  if (Array.isArray(value))
    return `<${tag}>${value.map((item) => write(itemTag, item, items, schemas)).join('')}</${tag}>`;
  if (value === null || value === undefined) return `<${tag}></${tag}>`;
  if (typeof value !== 'object') return `<${tag}>${escape(value as Scalar)}</${tag}>`;
  let [attributes, content] = ['', ''];
  for (const [key, member] of Object.entries(value).filter(([, member]) => member !== undefined)) {
    const own = properties[key] ?? {};
    const part = describe(own, key, schemas);
    if (part.isAttribute) attributes += ` ${part.tag}="${escape(member as Scalar)}"`;
    else
      for (const item of part.isUnwrapped ? member : [member])
        content += write(part.tag, item, part.isUnwrapped ? part.items : own, schemas);
  }
  return `<${tag}${attributes}>${content}</${tag}>`;
}

/** Escapes the text of a value. Replaces control characters and lone surrogates, which XML 1.0 cannot represent. */
function escape(value: Scalar): string {
  const allowed = String(value).replaceAll(/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/gu, '\uFFFD');
  return allowed.replaceAll(/[&<>"\t\n\r]/g, (character) => `&#${String(character.charCodeAt(0))};`);
}
