import { joinFirst } from '@contract-first/command-line/reports';
import {
  memoizeByObject,
  parseJson,
  replaceLimits,
  replaceMultipleOf,
  roundBigints,
  toJsonTree,
  withDigits,
} from '@contract-first/contract';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { canonical, asObject, type Node, type NodePair } from '../nodes/node.ts';
import { keywordValues, type ResolvedSchema, valueNodes } from '../nodes/schema-reader.ts';
import { type SchemaComparison, report } from '../rules/comparison.ts';
import type { Effect, Finding } from '../rules/finding.ts';
import { jsonType, typesOf } from './types.ts';

/** The keywords that constrain text and numbers. */
const LIMITS = [
  ...['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf'],
  ...['minLength', 'maxLength', 'pattern'],
];
const EXCLUSIVE: Readonly<Record<string, string>> = { minimum: 'exclusiveMinimum', maximum: 'exclusiveMaximum' };
const ajv = new Ajv2020({ strict: false, validateFormats: false });
replaceLimits(ajv);
replaceMultipleOf(ajv);

/** Compares the values of `enum` and `const`, except null, which counts as a type. */
export function compareValues(at: SchemaComparison, { base, revision }: NodePair<ResolvedSchema>): readonly Finding[] {
  const before = listedValues(base);
  const after = listedValues(revision);
  const [node = at.node] = valueNodes(revision);
  const [removedFrom = at.node] = valueNodes(base);
  const constant = { base: isConstant(base), revision: isConstant(revision) };

  if (before === undefined && after === undefined) return [];
  if (before === undefined) {
    const rule = constant.revision ? 'const-added' : 'became-enum';
    return [report(at, rule, 'narrows', `only ${list(after)} is allowed`, node)];
  }
  if (after === undefined) {
    const rule = constant.base ? 'const-removed' : 'became-not-enum';
    return [report(at, rule, 'widens', `values are no longer limited to ${list(before)}`)];
  }
  const removed = before.filter((value) => !after.includes(value));
  const added = after.filter((value) => !before.includes(value));
  if (removed.length > 0 && added.length > 0 && constant.base && constant.revision) {
    return [report(at, 'const-changed', 'differs', `const ${list(before)} became ${list(after)}`, node)];
  }
  const found = (values: readonly string[], action: string, effect: Effect, node: Node): readonly Finding[] => {
    const [noun, verb] = values.length === 1 ? ['value', 'was'] : ['values', 'were'];
    const change = `${noun} ${list(values)} ${verb} ${action}`;
    return values.length === 0 ? [] : [report(at, `enum-value-${action}`, effect, change, node)];
  };
  return [...found(removed, 'removed', 'narrows', removedFrom), ...found(added, 'added', 'widens', node)];
}

/** Compares defaults, which determine the meaning of requests without the value. */
export function compareDefaults(
  at: SchemaComparison,
  { base, revision }: NodePair<ResolvedSchema>,
): readonly Finding[] {
  const [before] = keywordValues(base, 'default').map(canonical);
  const [after] = keywordValues(revision, 'default').map(canonical);
  if (before === after) return [];
  const effect = at.subject.startsWith('request') ? 'unsure' : 'none';
  if (before === undefined) return [report(at, 'default-value-added', effect, `default ${String(after)} was added`)];
  if (after === undefined) return [report(at, 'default-value-removed', effect, `default ${before} was removed`)];
  return [report(at, 'default-value-changed', effect, `default ${before} became ${after}`)];
}

function isConstant(schema: ResolvedSchema): boolean {
  return keywordValues(schema, 'const').length > 0;
}

function list(values: readonly string[] = []): string {
  return joinFirst(values, 10);
}

/**
 * Returns the common values of all `enum` and `const` lists of a schema, as JSON; `undefined` without a list of other
 * values than null.
 */
export const listedValues = memoizeByObject((schema: ResolvedSchema): readonly string[] | undefined => {
  const [first, ...others] = schema.leaves.flatMap(({ value }) => {
    const { enum: values, const: constant } = asObject(value);
    const lists: readonly (readonly unknown[])[] = [...(Array.isArray(values) ? [values] : [])];
    return [...lists, ...(constant === undefined ? [] : [[constant]])].map((list) => list.map(canonical));
  });
  if (first === undefined || first.every((value) => value === 'null')) return undefined;
  const isAllowed = createCheck(schema);
  return first.filter(
    (value) => value !== 'null' && others.every((other) => other.includes(value)) && isAllowed(parseJson(value)),
  );
});

/** Creates a function that tests whether a value has an allowed type and is within the limits of a schema. */
function createCheck(schema: ResolvedSchema): (value: unknown) => boolean {
  const types = typesOf(schema);
  const limits = schema.leaves.flatMap(({ value }) =>
    limitsOf(asObject(value)).flatMap(([name, limit]) => compileLimit(name, limit)),
  );
  return (value) => {
    const type = jsonType(value);
    if (!types.includes(type) && !(type === 'integer' && types.includes('number'))) return false;
    return limits.every((isWithin) => isWithin(value));
  };
}

/** Compiles the check of a limit; skips limits that Ajv cannot compile, such as patterns of other languages. */
function compileLimit(keyword: string, limit: unknown): readonly ((value: unknown) => boolean)[] {
  try {
    const schema = { [keyword]: limit };
    roundBigints(schema);
    const check = ajv.compile({ properties: { '': schema } });
    return [(value) => check(withDigits(toJsonTree(value)))];
  } catch {
    return [];
  }
}

/** Returns the limits of a schema in JSON Schema. Converts `exclusiveMaximum: true` of OpenAPI 3.0. */
function limitsOf(keywords: Readonly<Record<string, unknown>>): readonly (readonly [string, unknown])[] {
  return Object.entries(keywords).flatMap(([name, limit]) => {
    if (!LIMITS.includes(name) || typeof limit === 'boolean') return [];
    const exclusive = EXCLUSIVE[name];
    return [[exclusive !== undefined && keywords[exclusive] === true ? exclusive : name, limit] as const];
  });
}
