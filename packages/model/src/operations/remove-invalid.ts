import { parameterNames, stringifyJson } from '@contract-first/contract';
import { loadYaml } from '@contract-first/command-line/files';
import { formatDiagnostic, METHODS, tokensOf, type PlacedDiagnostic } from '@contract-first/documents';

/** An invalid operation with its first problem. */
export type InvalidOperation = { readonly operation: string; readonly problem: string };

const MARK = 'x-not-checked';
const PLACEHOLDER = { [MARK]: true, responses: { default: { description: 'Not checked' } } };

type Parts = Record<string, unknown>;
type Source = { paths?: Record<string, Parts>; components?: Record<string, Parts>; webhooks?: unknown };

/**
 * Replaces operations with errors, and operations that refer to components with errors, with placeholders.
 *
 * @returns `undefined` if there are errors elsewhere, or if no operation remains
 */
export function removeInvalid(
  text: string,
  diagnostics: readonly PlacedDiagnostic[],
): { readonly text: string; readonly invalid: readonly InvalidOperation[] } | undefined {
  const broken = new Map<string, string>(); // The first problem of each broken part, by its pointer.
  for (const diagnostic of diagnostics.filter(({ severity }) => severity === 'error')) {
    const [, pointer = ''] = / (#\/.*)$/.exec(diagnostic.place) ?? [];
    const [kind = '', group = '', name = ''] = tokensOf(pointer);
    const isPart = kind === 'paths' || (kind === 'components' && group !== 'securitySchemes' && name !== '');
    if (kind === 'webhooks') continue;
    if (!isPart) return undefined;
    const part = kind === 'paths' && !METHODS.includes(name) ? [group] : [group, name];
    broken.set(keyOf(part), broken.get(keyOf(part)) ?? formatDiagnostic(diagnostic));
  }

  // The reader of documents has accepted the text, which this parser may find invalid.
  const source = loadYaml().parse(text, { intAsBigInt: true, merge: true, logLevel: 'silent' }) as Source;
  delete source.webhooks; // The checks send none of them.
  const { paths = {}, components = {} } = source;
  const all = Object.entries(components).flatMap(([group, parts]) =>
    Object.entries(parts).map(([name, part]) => ({ group, name, refs: referencesIn(part) })),
  );
  for (let size = -1; size !== broken.size;) {
    size = broken.size;
    for (const { group, name, refs } of all) {
      const cause = refs.map((ref) => broken.get(ref)).find((known) => known !== undefined);
      if (cause !== undefined && !broken.has(keyOf([group, name]))) broken.set(keyOf([group, name]), cause);
    }
  }

  const invalid: InvalidOperation[] = [];
  const rest = Object.entries(paths).map(([path, item]): [string, Parts] => {
    const { parameters, $ref, ...members } = item;
    const shared = [keyOf([path]), ...referencesIn({ parameters, $ref })];
    const changed = Object.entries(members).map(([name, member]) => {
      const keys = METHODS.includes(name) ? [...shared, keyOf([path, name]), ...referencesIn(member)] : [];
      const problem = keys.map((key) => broken.get(key)).find((known) => known !== undefined);
      if (problem === undefined) return [name, member] as const;
      const { operationId } = member as { readonly operationId?: unknown }; // Any value but null has members.
      const operation = typeof operationId === 'string' ? operationId : `${name.toUpperCase()} ${path}`;
      invalid.push({ operation, problem });
      return [name, placeholderOf(path)] as const;
    });
    const kept = shared.some((key) => broken.has(key)) ? {} : { parameters, $ref };
    return [path, { ...kept, ...Object.fromEntries(changed) }];
  });
  if (rest.every(([, item]) => METHODS.every((name) => isPlaceholder(item[name] ?? PLACEHOLDER)))) return undefined;
  const parts = Object.entries(components).map(([group, members]) => {
    const valid = Object.entries(members).filter(([name]) => !broken.has(keyOf([group, name])));
    return [group, Object.fromEntries(valid)] as const;
  });
  const complete = { ...source, paths: Object.fromEntries(rest), components: Object.fromEntries(parts) };
  return { text: stringifyJson(complete), invalid };
}

/** Returns whether an operation is a placeholder for an invalid operation. */
export function isPlaceholder(operation: unknown): boolean {
  return Object.hasOwn(Object(operation) as object, MARK);
}

/** Returns a valid placeholder operation, which keeps the method and path documented. */
function placeholderOf(path: string): object {
  const parameters = parameterNames(path).map((name) => ({
    name,
    in: 'path',
    required: true,
    schema: { type: 'string' },
  }));
  return { ...PLACEHOLDER, parameters };
}

function keyOf(tokens: readonly string[]): string {
  return JSON.stringify(tokens);
}

/** Returns the keys of the components that a part refers to. */
function referencesIn(part: unknown): readonly string[] {
  if (typeof part !== 'object' || part === null) return [];
  return Object.entries(part).flatMap(([name, member]) => {
    const isReference = name === '$ref' && typeof member === 'string' && member.startsWith('#/components/');
    return isReference ? [keyOf(tokensOf(member).slice(1, 3))] : referencesIn(member);
  });
}
