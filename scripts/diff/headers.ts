import type { Finding, Level } from './finding.ts';
import { child, children, isSet, rawChild, type Pair, type Place } from './place.ts';
import { compareSchemas } from './schema.ts';

/** Compares the headers of a response. */
export function compareHeaders(operation: string, status: string, { base, revision }: Pair): readonly Finding[] {
  const before = headersOf(base);
  const after = headersOf(revision);
  const found = (rule: string, level: Level, place: Place, name: string, change: string): Finding => ({
    rule,
    level,
    pointer: place.pointer,
    operation,
    message: `response ${status} header ${name} ${change}`,
  });

  const ofBase = [...before].flatMap(([name, place]) => {
    const current = after.get(name);
    const required = isSet(place, 'required');
    if (current === undefined) {
      return required
        ? [found('required-response-header-removed', 'ERR', place, name, 'was removed')]
        : [found('optional-response-header-removed', 'WARN', place, name, 'was removed')];
    }
    const becameOptional = required && !isSet(current, 'required');
    const described = { subject: 'response-header', operation, place: current } as const;
    const schemas = { base: rawChild(place, 'schema'), revision: rawChild(current, 'schema') };
    return [
      ...(becameOptional
        ? [found('response-header-became-optional', 'ERR', current, name, 'is no longer required')]
        : []),
      ...compareSchemas({ ...described, name: `response ${status} header ${name}` }, schemas),
    ];
  });
  const added = [...after].filter(([name]) => !before.has(name));
  return [...ofBase, ...added.map(([name, place]) => found('response-header-added', 'INFO', place, name, 'was added'))];
}

function headersOf(response: Place): ReadonlyMap<string, Place> {
  const entries = [...children(child(response, 'headers'))].map(
    ([name, place]) => [name.toLowerCase(), place] as const,
  );
  // OpenAPI ignores Content-Type here: the media types define it.
  return new Map(entries.filter(([name]) => name !== 'content-type'));
}
