import { finding, type Finding, type Scope } from '../rules/finding.ts';
import { isSet, rawChild, type Node, type Pair } from '../nodes/node.ts';
import { compareSchemas } from '../schemas/schema.ts';

/** Compares the headers of a response, or the parameters that a webhook or callback sends, by name. */
export function compareHeaders(scope: Scope, { base, revision }: Pair<ReadonlyMap<string, Node>>): readonly Finding[] {
  const scopeOf = (header: string): Scope => ({ ...scope, name: `${scope.name} ${header}` });
  const ofBase = [...base].flatMap(([header, node]) => {
    const at = scopeOf(header);
    const current = revision.get(header);
    const isRequired = isSet(node, 'required');
    if (current === undefined) {
      const [kind, level] = isRequired ? (['required', 'ERR'] as const) : (['optional', 'WARN'] as const);
      return [finding(at, `${kind}-response-header-removed`, level, node, 'was removed')];
    }
    const schemas = { base: rawChild(node, 'schema'), revision: rawChild(current, 'schema') };
    return [
      ...(isRequired && !isSet(current, 'required')
        ? [finding(at, 'response-header-became-optional', 'ERR', current, 'is no longer required')]
        : []),
      ...compareSchemas({ ...at, subject: 'response-header', text: 'once', node: current }, schemas),
    ];
  });
  const added = [...revision].filter(([header]) => !base.has(header));
  return [
    ...ofBase,
    ...added.map(([header, node]) => finding(scopeOf(header), 'response-header-added', 'INFO', node, 'was added')),
  ];
}
