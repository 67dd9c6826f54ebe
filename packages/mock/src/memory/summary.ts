import type { ApiOperation } from '@contract-first/model/operations';
import { rolesOf, type findResources, type Role } from './resources.ts';
import { failureKey } from './reply.ts';

const MAX_NAMES = 3;

/** Describes the resources that a mock remembers, the others, and the operations on none, in lines. */
export function describeMemory(
  { resources, omitted }: ReturnType<typeof findResources>,
  operations: readonly ApiOperation[],
): readonly string[] {
  const rows = resources.map(({ item }) => {
    const { read, parameter, create, replace } = item;
    const nameOf = (role: Role): string => {
      if (role === 'remove') return 'delete';
      return role === 'replace' && create === replace ? 'create or replace' : role;
    };
    const roles = rolesOf(item).map(([role]) => nameOf(role));
    const isSilent = read !== undefined && parameter !== '' && failureKey(read, 404) === undefined;
    const note = isSilent ? '; reads of an unknown id are generated, as no 404 is documented' : '';
    return [item.path, roles.join(', ') + note] as const;
  });
  const remembered = new Set(resources.flatMap(({ item }) => rolesOf(item).map(([, operation]) => operation)));
  const generated = operations.filter((operation) => !remembered.has(operation)).map(({ operationId }) => operationId);
  const names = [...generated.slice(0, MAX_NAMES), ...(generated.length > MAX_NAMES ? ['…'] : [])].join(', ');
  const count = generated.length === 1 ? '1 operation' : `${String(generated.length)} operations`;
  return [
    ...table('Remembers', rows),
    ...table(
      'Does not remember',
      omitted.map(({ path, reason }) => [path, reason]),
    ),
    ...(generated.length > 0 ? [`Generates the responses of ${count}: ${names}`] : []),
  ];
}

function table(title: string, rows: readonly (readonly [string, string])[]): readonly string[] {
  const width = Math.max(0, ...rows.map(([path]) => path.length));
  return rows.length === 0 ? [] : [`${title}:`, ...rows.map(([path, text]) => `  ${path.padEnd(width)}  ${text}`)];
}
