import { kindOf, normalizeMediaType } from '@contract-first/contract';
import { withDefaultStyle, type Serialization } from '@contract-first/documents';
import { child, children, rawChild, type NodePair, type Node } from '../nodes/node.ts';
import { readSchema } from '../nodes/schema-reader.ts';
import type { DescribedValue, Subject } from '../rules/comparison.ts';
import { finding, type Finding, type FindingContext } from '../rules/finding.ts';
import { compareSchemas } from '../schemas/schema.ts';
import { typesOf } from '../schemas/types.ts';

/** A compared parameter or header. */
type SerializedScope = FindingContext & { readonly subject: Extract<Subject, 'request-parameter' | 'response-header'> };

/** Compares the values of a parameter or header, and how they are serialized. */
export function compareSerialized(scope: SerializedScope, { base, revision }: NodePair): readonly Finding[] {
  const schemas = { base: schemaOf(base), revision: schemaOf(revision) };
  return [
    ...compareStyles(scope, { base, revision }),
    ...compareSchemas({ ...scope, serialization: serializationOf(revision), node: revision }, schemas),
  ];
}

function compareStyles(scope: SerializedScope, { base, revision }: NodePair): readonly Finding[] {
  const [before, after] = [styleOf(base), styleOf(revision)];
  const found = (keyword: 'style' | 'explode'): readonly Finding[] => {
    const change = `${keyword} ${String(before[keyword])} became ${String(after[keyword])}`;
    return [finding(scope, `${scope.subject}-${keyword}-changed`, 'ERR', revision, change)];
  };
  if (before.style !== after.style) return found('style');
  return before.explode !== after.explode && before.hasParts && after.hasParts ? found('explode') : [];
}

/** Returns how the values of a parameter or header are serialized; `undefined` for a media type. */
function serializationOf(node: Node): DescribedValue['serialization'] {
  if (mediaTypeOf(node) !== undefined) return undefined;
  const { style, explode } = styleOf(node);
  return style === 'form' && explode ? 'pairs' : 'text';
}

/** Returns `style` and `explode` with their defaults; for `content`, `style` is the media type. */
function styleOf(node: Node) {
  const mediaType = mediaTypeOf(node);
  if (mediaType !== undefined) return { style: normalizeMediaType(mediaType), explode: false, hasParts: false };
  // `explode` has no effect on scalars.
  return { ...withDefaultStyle(node.value as Serialization), hasParts: hasParts(node) }; // Validated document.
}

/** Returns the media type of `content`; `undefined` for the text of a scalar, which is the same in the default style. */
function mediaTypeOf(node: Node): string | undefined {
  const [mediaType] = children(child(node, 'content')).keys();
  return mediaType !== undefined && kindOf(mediaType) === 'text' && !hasParts(node) ? undefined : mediaType;
}

/** Returns whether a schema allows lists or objects. */
function hasParts(node: Node): boolean {
  const types = typesOf(readSchema([schemaOf(node) ?? []].flat()));
  return types.includes('array') || types.includes('object');
}

function schemaOf(node: Node): Node | undefined {
  const [content] = children(child(node, 'content')).values();
  return rawChild(node, 'schema') ?? (content && rawChild(content, 'schema'));
}
