import { essenceOf, normalizeMediaType } from '@contract-first/contract';
import { withDefaultStyle } from '@contract-first/documents';
import { asObject, child, children, type Node, type NodePair, rawChild, textAt } from '../nodes/node.ts';
import { keywordNodes, keywordValues, readSchema, type ResolvedSchema } from '../nodes/schema-reader.ts';
import { type BodyScope, directionOf } from '../rules/comparison.ts';
import { finding, type Finding, type Level, LEVEL_OF_EFFECT } from '../rules/finding.ts';
import { effectOf, typesOf } from '../schemas/types.ts';
import { compareHeaders, headersOf } from './headers.ts';
import { compareSentHeaders } from './parameters.ts';

/** How a field of a form is written. */
type Encoding = {
  /** The allowed media types. */
  readonly contentTypes: readonly string[];
  /** Absent for an object that is written as JSON. */
  readonly style?: string;
  /** Absent without `style`, and where it has no effect. */
  readonly explode?: boolean;
};

/** Compares the encodings of form fields, including their defaults. */
export function compareEncodings(at: BodyScope, { base, revision }: NodePair): readonly Finding[] {
  const after = children(child(revision, 'encoding'));
  const names = new Set([...children(child(base, 'encoding')).keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const [old, current] = [encodingOf(base, name), encodingOf(revision, name)];
    const hasStyle = [base, revision].some((form) => isStyled(encodingNode(form, name)));
    const found = (keyword: string, rule: string, level: Level): Finding => {
      const change = `${keyword} of the field ${name} was changed`;
      return finding(at, `${at.subject}-encoding-${rule}-changed`, level, after.get(name) ?? revision, change);
    };
    const effect = effectOf({ base: old.contentTypes, revision: current.contentTypes }, (type, ranges) =>
      ranges.some((range) => covers(range, type)),
    );
    return [
      ...(effect === 'none' ? [] : [found('contentType', 'content-type', LEVEL_OF_EFFECT[directionOf(at)][effect])]),
      ...(hasStyle ? compareStyles(found, old, current) : []),
    ];
  });
}

/** Compares the headers of the parts that a multipart form has in both documents. */
export function comparePartHeaders(at: BodyScope, { base, revision }: NodePair): readonly Finding[] {
  const encoded = [base, revision].flatMap((form) => [...children(child(form, 'encoding')).keys()]);
  const names = [...new Set(encoded)].filter((name) =>
    [base, revision].every((form) => fieldNodes(form, name).length > 0),
  );
  const compare = directionOf(at) === 'request' ? compareSentHeaders : compareHeaders;
  return names.flatMap((name) => {
    const headers = { base: headersOf(encodingNode(base, name)), revision: headersOf(encodingNode(revision, name)) };
    return compare({ ...at, name: `${at.name}/${name} header` }, headers);
  });
}

function compareStyles(
  found: (keyword: string, rule: string, level: Level) => Finding,
  old: Encoding,
  current: Encoding,
): readonly Finding[] {
  if (old.style !== current.style) return [found('style', 'style', 'ERR')];
  return old.explode === current.explode ? [] : [found('explode', 'explode', 'ERR')];
}

function encodingNode(form: Node, name: string): Node | undefined {
  return child(child(form, 'encoding'), name);
}

function encodingOf(form: Node, name: string): Encoding {
  const encoding = encodingNode(form, name);
  const field = readSchema(fieldNodes(form, name));
  const types = typesOf(field);
  const contentTypes = (textAt(encoding, 'contentType') ?? defaultTypeOf(field)).split(',').map(normalizeMediaType);
  if (!isStyled(encoding) && types.includes('object')) return { contentTypes };
  const written = withDefaultStyle({ ...asObject(encoding?.value), in: 'query' });
  const hasParts = types.includes('array') || types.includes('object');
  return { contentTypes, style: written.style, explode: hasParts && written.explode };
}

function isStyled(encoding: Node | undefined): boolean {
  const { style, explode } = asObject(encoding?.value);
  return style !== undefined || explode !== undefined;
}

/** Returns the default media type of a field (OpenAPI 3.2, 4.15.1.1). The type of a list is the type of its items. */
function defaultTypeOf(field: ResolvedSchema, isItem = false): string {
  const types = typesOf(field).filter((type) => type !== 'null');
  const [only, ...others] = types;
  if (only === 'array' && others.length === 0 && !isItem)
    return defaultTypeOf(readSchema(keywordNodes(field, 'items')), true);
  if (types.every((type) => type === 'array' || type === 'object')) return 'application/json';
  const isFile =
    keywordValues(field, 'format').includes('binary') || keywordValues(field, 'contentEncoding').length > 0;
  const isText = !isFile && !types.includes('array') && !types.includes('object');
  return isText ? 'text/plain' : 'application/octet-stream';
}

/** Returns the schemas of a field of a form. */
function fieldNodes(form: Node, name: string): readonly Node[] {
  return keywordNodes(readSchema(asList(rawChild(form, 'schema'))), 'properties').flatMap((properties) =>
    asList(rawChild(properties, name)),
  );
}

function asList(node: Node | undefined): readonly Node[] {
  return node === undefined ? [] : [node];
}

/** Returns whether a media range, or a media type without parameters, covers a media type or equals it. */
export function covers(range: string, type: string): boolean {
  if (range === type || range === '*/*' || type.startsWith(`${range};`)) return true;
  const [start = '', end] = range.split('*');
  return end !== undefined && type.startsWith(start) && essenceOf(type).endsWith(end);
}
