import { child, children, isTrue, type Node, type NodePair } from '../nodes/node.ts';
import { finding, type Finding, type FindingContext } from '../rules/finding.ts';
import { compareSerialized } from './serialization.ts';

/** Compares the headers of a response, or the parameters of a webhook or callback, by name. */
export function compareHeaders(
  scope: FindingContext,
  { base, revision }: NodePair<ReadonlyMap<string, Node>>,
): readonly Finding[] {
  const scopeOf = (header: string): FindingContext => ({ ...scope, name: `${scope.name} ${header}` });
  const ofBase = [...base].flatMap(([header, node]) => {
    const at = scopeOf(header);
    const current = revision.get(header);
    const isRequired = isTrue(node, 'required');
    if (current === undefined) {
      const [kind, level] = isRequired ? (['required', 'ERR'] as const) : (['optional', 'WARN'] as const);
      return [finding(at, `${kind}-response-header-removed`, level, node, 'was removed')];
    }
    return [
      ...(isRequired && !isTrue(current, 'required')
        ? [finding(at, 'response-header-became-optional', 'ERR', current, 'is no longer required')]
        : []),
      ...compareSerialized({ ...at, subject: 'response-header' }, { base: node, revision: current }),
    ];
  });
  const added = [...revision].filter(([header]) => !base.has(header));
  return [
    ...ofBase,
    ...added.map(([header, node]) => finding(scopeOf(header), 'response-header-added', 'INFO', node, 'was added')),
  ];
}

/** Returns the headers of a response or an encoding, by their names in lower case. */
export function headersOf(owner: Node | undefined): ReadonlyMap<string, Node> {
  const entries = [...children(child(owner, 'headers'))].map(([name, node]) => [name.toLowerCase(), node] as const);
  // OpenAPI ignores a Content-Type header, which the media types define.
  return new Map(entries.filter(([name]) => name !== 'content-type'));
}
