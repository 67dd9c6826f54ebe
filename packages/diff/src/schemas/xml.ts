import { asObject, canonical, type NodePair } from '../nodes/node.ts';
import { keywordNodes, type ResolvedSchema } from '../nodes/schema-reader.ts';
import { report, type SchemaComparison } from '../rules/comparison.ts';
import type { Finding } from '../rules/finding.ts';
import { typesOf } from './types.ts';

/** Compares the elements and attributes of an XML document that hold a value. */
export function compareXml(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const [before, after] = [base, revision].map(xmlOf);
  if (before === after) return [];
  const [node] = keywordNodes(revision, 'xml');
  return [report(at, 'xml-changed', 'differs', `xml ${String(before)} became ${String(after)}`, node)];
}

/** Returns the members of `xml` that have an effect. A prefix has none, since readers compare namespaces. */
function xmlOf(schema: ResolvedSchema): string {
  const [xml] = keywordNodes(schema, 'xml');
  const { name, namespace, attribute, wrapped, nodeType } = asObject(xml?.value);
  const isList = typesOf(schema).includes('array');
  const kind = nodeType ?? (attribute === true ? 'attribute' : isList && wrapped === true ? 'element' : undefined);
  const members = Object.entries({ name, namespace, nodeType: kind === 'element' && !isList ? undefined : kind });
  return canonical(Object.fromEntries(members.filter(([, value]) => value !== undefined)));
}
