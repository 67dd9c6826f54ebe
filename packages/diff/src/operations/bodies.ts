import { essenceOf, kindOf, normalizeMediaType } from '@contract-first/contract';
import { child, children, isTrue, type Node, type NodePair, rawChild } from '../nodes/node.ts';
import type { BodyScope, DescribedValue } from '../rules/comparison.ts';
import { finding, type Finding, type Level, LEVEL_OF_EFFECT, type FindingContext } from '../rules/finding.ts';
import { compareSchemas } from '../schemas/schema.ts';
import { compareEncodings, comparePartHeaders, covers } from './encodings.ts';

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
    const serialization = commonSerialization(type, partner);
    const compared = ['schema', 'itemSchema'].flatMap((member) =>
      compareSchemas(
        { ...at, serialization, node: current },
        { base: rawChild(node, member), revision: rawChild(current, member) },
      ),
    );
    const nodes = { base: node, revision: current };
    const isMultipart = [type, partner].every((one) => kindOf(one) === 'multipart');
    const ofHeaders = isMultipart ? comparePartHeaders(at, nodes) : [];
    return [...renamed, ...compareEncodings(at, nodes), ...ofHeaders, ...compared];
  });
  const added = [...after].filter(([type]) => !used.has(type));
  return [...ofBase, ...added.map(([type, node]) => found('added', 'INFO', node, `${type} was added`))];
}

/** The serializations of the kinds of bodies. */
const SERIALIZATIONS = { json: undefined, text: 'text', form: 'pairs', multipart: 'pairs', binary: 'bytes' } as const;

/** Returns how the values of two media types are serialized; `undefined` if that differs, and for JSON. */
function commonSerialization(type: string, partner: string): DescribedValue['serialization'] {
  const serialization = serializationOf(type);
  return serialization === serializationOf(partner) ? serialization : undefined;
}

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
