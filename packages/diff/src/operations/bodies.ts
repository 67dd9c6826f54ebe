import { essenceOf, kindOf, normalizeMediaType } from '@contract-first/contract';
import { canonical, child, children, isTrue, asObject, type Node, type NodePair, rawChild } from '../nodes/node.ts';
import type { DescribedValue, Subject } from '../rules/comparison.ts';
import { finding, type Finding, type Level, LEVEL_OF_EFFECT, type FindingContext } from '../rules/finding.ts';
import { compareSchemas } from '../schemas/schema.ts';

/** A compared request or response body. */
export type BodyScope = FindingContext & { readonly subject: Extract<Subject, 'request-body' | 'response-body'> };

/** Compares request bodies: their presence, whether they are required, and their media types. */
export function compareRequestBodies(
  scope: FindingContext,
  { base, revision }: NodePair<Node | undefined>,
): readonly Finding[] {
  const at = { ...scope, subject: 'request-body', name: 'request body' } as const;
  const found = (aspect: string, level: Level, node: Node, change: string): readonly Finding[] => [
    finding(at, `request-body-${aspect}`, level, node, change),
  ];
  if (revision === undefined) return base === undefined ? [] : found('removed', 'ERR', base, 'was removed');
  const isRequired = isTrue(revision, 'required');
  if (base === undefined) {
    return isRequired
      ? found('added-required', 'ERR', revision, 'was added, required')
      : found('added-optional', 'INFO', revision, 'was added, optional');
  }
  const requirement = isRequired
    ? found('became-required', 'ERR', revision, 'became required')
    : found('became-optional', 'INFO', revision, 'became optional');
  const wasRequired = isTrue(base, 'required');
  return [...(isRequired === wasRequired ? [] : requirement), ...compareMediaTypes(at, { base, revision })];
}

/** The encoding keywords of a form field, with the names of their rules. */
const ENCODING = [
  ['contentType', 'content-type'],
  ['style', 'style'],
  ['explode', 'explode'],
] as const;

/** Compares the media types of a body and their schemas. A media range (`text/*`) matches all included types. */
export function compareMediaTypes(at: BodyScope, { base, revision }: NodePair): readonly Finding[] {
  const before = mediaTypesOf(base);
  const after = mediaTypesOf(revision);
  const isRequest = at.subject === 'request-body';
  const prefix = isRequest ? 'request-body' : 'response';
  const found = (aspect: string, level: Level, node: Node, change: string): Finding =>
    finding(at, `${prefix}-media-type-${aspect}`, level, node, `media type ${change}`);

  const used = new Set<string>();
  const ofBase = [...before].flatMap(([type, node]) => {
    const partner = after.has(type)
      ? type
      : [...after.keys()].find((other) => covers(other, type) || covers(type, other));
    const current = partner === undefined ? undefined : after.get(partner);
    if (partner === undefined || current === undefined) return [found('removed', 'ERR', node, `${type} was removed`)];
    used.add(partner);
    const widened = partner !== type && covers(partner, type);
    const aspect = widened ? 'name-generalized' : 'name-specialized';
    const level = LEVEL_OF_EFFECT[isRequest ? 'request' : 'response'][widened ? 'widens' : 'narrows'];
    const renamed = partner === type ? [] : [found(aspect, level, current, `${type} became ${partner}`)];
    const isSame = serializationOf(type) === serializationOf(partner);
    const serialization = isSame ? serializationOf(type) : undefined;
    const compared = ['schema', 'itemSchema'].flatMap((member) =>
      compareSchemas(
        { ...at, serialization, node: current },
        { base: rawChild(node, member), revision: rawChild(current, member) },
      ),
    );
    return [...renamed, ...compareEncodings(at, { base: node, revision: current }), ...compared];
  });
  const added = [...after].filter(([type]) => !used.has(type));
  return [...ofBase, ...added.map(([type, node]) => found('added', 'INFO', node, `${type} was added`))];
}

/** Compares the encodings of form fields. */
function compareEncodings(at: BodyScope, { base, revision }: NodePair): readonly Finding[] {
  const [before, after] = [children(child(base, 'encoding')), children(child(revision, 'encoding'))];
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) =>
    ENCODING.flatMap(([keyword, rule]) => {
      const [old, current] = [before.get(name), after.get(name)].map((node) => asObject(node?.value)[keyword]);
      if (canonical(old ?? null) === canonical(current ?? null)) return [];
      const change = `${keyword} of the field ${name} was changed`;
      return [finding(at, `${at.subject}-encoding-${rule}-changed`, 'ERR', after.get(name) ?? revision, change)];
    }),
  );
}

/** The serializations of the kinds of bodies. */
const SERIALIZATIONS = { json: undefined, text: 'text', form: 'pairs', multipart: 'pairs', binary: 'bytes' } as const;

/** Returns how the values of a media type are serialized. */
function serializationOf(mediaType: string): DescribedValue['serialization'] {
  const isXml = /^(?:text|application)\/xml$|\+xml$/.test(essenceOf(mediaType));
  return isXml ? 'xml' : SERIALIZATIONS[kindOf(mediaType)];
}

function mediaTypesOf(body: Node): ReadonlyMap<string, Node> {
  const entries = [...children(child(body, 'content'))];
  // JSON is UTF-8 anyway (RFC 8259, 8.1), and clients accept any charset of a text.
  return new Map(entries.map(([type, node]) => [normalizeMediaType(type), node]));
}

/** Returns whether a media range, or a media type without parameters, covers a media type or equals it. */
function covers(range: string, type: string): boolean {
  if (range === type || range === '*/*' || type.startsWith(`${range};`)) return true;
  const [start = '', end] = range.split('*');
  return end !== undefined && type.startsWith(start) && essenceOf(type).endsWith(end);
}
