import { escapePointer } from '@contract-first/contract';
import { closestName } from '../document/names.ts';
import { type Kind, type Member, OBJECTS, type Version } from '../document/objects.ts';
import { type OpenApiDocument, resolveReference } from '../document/reference.ts';
import { walk, walkDocument, type Visited } from '../document/walk.ts';
import type { Diagnostic } from '../read/diagnostic.ts';

type Node = Readonly<Record<string, unknown>>;
/** Reports a problem. */
type Report = (place: string, message: string, severity?: StructureProblem['severity']) => void;
/** A mistake, or an ignored part. */
export type StructureProblem = Diagnostic & {
  readonly severity: 'error' | 'warn';
  /** Whether a schema has a keyword that is unknown. */
  readonly isKeyword: boolean;
};

/** The members of a security scheme that only some types have; the first is required. */
const OF_SCHEMES: Readonly<Record<string, readonly string[]>> = {
  apiKey: ['name', 'in'],
  http: ['scheme', 'bearerFormat'],
  oauth2: ['flows', 'oauth2MetadataUrl'],
  openIdConnect: ['openIdConnectUrl'],
};
const REQUIRED_OF_SCHEMES: Readonly<Record<string, readonly string[]>> = {
  ...OF_SCHEMES,
  http: ['scheme'],
  oauth2: ['flows'],
};
const TYPES = ['object', 'array', 'string', 'number', 'integer', 'boolean'];
/** The keywords that name a schema, or the target of a reference, since OpenAPI 3.1. */
const NAMING = ['$schema', '$vocabulary', '$id', '$anchor', '$dynamicAnchor', '$dynamicRef'];
const COMPONENT_NAME = /^[\w.-]+$/;

/**
 * Finds members that OpenAPI does not have where they are, members that are missing, and values of other types than
 * OpenAPI has for them. Unknown keywords of schemas are ignored in OpenAPI 3.1 and later (JSON Schema 2020-12, core 4.3.1).
 * Keywords of 3.1 in a document of 3.0 are warnings: JSON Schema 2020-12, to which all schemas are converted, has them.
 *
 * @param document may be invalid, and have references that lead to nothing
 * @param isLenient accepts invalid keywords in schemas of OpenAPI 3.1 and later, which leaves them to their dialect
 */
export function findStructureProblems(document: OpenApiDocument, isLenient: boolean): readonly StructureProblem[] {
  const version = Number(document.openapi.charAt(2)) as Version;
  const found: StructureProblem[] = [];
  /** The kinds of the visited objects. */
  const kinds = new Map<unknown, Kind>();
  /** The objects in schemas whose structure JSON Schema does not know. */
  const annotations = new Set<unknown>();
  const references: Visited[] = [];
  walkDocument(document, visit);
  for (const reference of references) checkTarget(reference);
  return found;

  function visit(visited: Visited): void {
    const { kind, node, pointer } = visited;
    if (Array.isArray(node)) return; // The holder reports it.
    kinds.set(node, kind);
    const isReference = typeof node['$ref'] === 'string' && OBJECTS[kind].isReferable === true;
    if (isReference) references.push(visited);
    // Only schemas have siblings of references, since OpenAPI 3.1.
    if (!isReference || (kind === 'schema' && version > 0)) found.push(...problemsOf(kind, node, pointer));
  }

  /** Checks the target of a reference as an object of the reference's kind, unless it was visited as such. */
  function checkTarget({ kind, node, pointer }: Visited): void {
    const reference = String(node['$ref']);
    const target = reference.startsWith('#/') ? resolveReference(document, reference) : undefined;
    if (target === undefined || kinds.get(target) === kind) return;
    const isValue = typeof target !== 'object' || target === null || Array.isArray(target);
    if (isValue && kind === 'schema' && typeof target === 'boolean') return;
    const problems: StructureProblem[] = [];
    const collect = (visited: Visited): void => {
      if (Object.hasOwn(visited.node, '$ref')) return;
      problems.push(...problemsOf(visited.kind, visited.node, visited.pointer));
    };
    if (!isValue) walk(kind, { '': target }, '', '#', collect);
    const first = problems.find(({ severity }) => severity === 'error');
    const reason = isValue ? `it is ${typeNameOf(target)}` : first?.message;
    if (reason === undefined) return;
    found.push({
      severity: 'error',
      isKeyword: false,
      pointer,
      message: `$ref leads to no ${wordOf(kind)} in ${reference}: ${reason}`,
    });
  }

  function problemsOf(kind: Kind, node: Node, pointer: string): StructureProblem[] {
    const { name: title, members, required = [], oneOf = [], isReferable = false } = OBJECTS[kind];
    const isSchema = kind === 'schema' && version > 0;
    const isIgnored = annotations.has(node) || (isSchema && isLenient);
    const problems: StructureProblem[] = [];
    const report: Report = (place, message, severity = isIgnored ? 'warn' : 'error') =>
      void problems.push({ pointer: place, message, severity, isKeyword: false });
    if (isSchema) for (const name of ['discriminator', 'xml', 'externalDocs']) annotations.add(node[name]);

    const needed = [...required, ...(version === 0 ? (REQUIRED_IN_30[kind] ?? []) : [])];
    if (version < 2 && kind === 'response') needed.push('description');
    if (kind === 'securityScheme') needed.push(...(REQUIRED_OF_SCHEMES[String(node['type'])] ?? []));
    for (const name of needed) if (!Object.hasOwn(node, name)) report(pointer, `${title} needs ${name}`);
    const isComplete = oneOf.length === 0 || needed.some((name) => oneOf.includes(name));
    if (!isComplete && !oneOf.some((name) => Object.hasOwn(node, name)))
      report(pointer, `${title} needs ${listed(oneOf)}`);

    for (const [name, value] of Object.entries(node)) {
      const place = `${pointer}/${escapePointer(name)}`;
      const member = Object.hasOwn(members, name) ? members[name] : undefined;
      if (kind === 'callback') {
        if (!name.startsWith('x-') && !isObject(value))
          report(place, `${name} must be a path item, not ${typeNameOf(value)}`);
      } else if (member === undefined || !(isInVersion(member) || isOf31(kind, name, member))) {
        const isAllowed = name.startsWith('x-') || (name === '$ref' && isReferable);
        const isIgnoredThere = isIgnored || isSchema || kind === 'discriminator';
        const severity = isIgnoredThere ? 'warn' : 'error';
        if (name === '$ref' && isReferable && typeof value !== 'string')
          report(place, `$ref must be a string, not ${typeNameOf(value)}`);
        else if (!isAllowed) {
          const message = unknown(kind, name, node);
          problems.push({ pointer: place, message, severity, isKeyword: kind === 'schema' });
        }
      } else {
        if (!isInVersion(member)) report(place, readAsIn31(name), 'warn');
        const isForeign = kind === 'securityScheme' && isOfOtherScheme(name, node['type']);
        if (isForeign) report(place, `a security scheme of type ${String(node['type'])} has no ${name}`);
        else checkMember(member, name, value, place, report);
      }
    }
    return problems;
  }

  function checkMember(member: Member, name: string, value: unknown, place: string, report: Report): void {
    const { holds, kind, names } = member;
    const check = (one: unknown, label: string, at: string): void => {
      const messageIn = (rules: Version): string | undefined =>
        kind === undefined ? mismatch(member, one, rules) : mismatchOf(kind, one, name, rules);
      const message = messageIn(version);
      if (message === undefined) return;
      const isLater = version === 0 && messageIn(1) === undefined;
      if (isLater) report(at, readAsIn31(kind === undefined ? `the value of ${name}` : 'a boolean schema'), 'warn');
      else report(at, `${label} must be ${message}`);
    };
    if (holds === undefined || holds === 'one') check(value, name, place);
    else if (holds === 'list') {
      if (!Array.isArray(value)) report(place, `${name} must be a list, not ${typeNameOf(value)}`);
      else for (const [index, item] of value.entries()) check(item, `an item of ${name}`, `${place}/${String(index)}`);
    } else if (!isObject(value)) report(place, `${name} must be an object, not ${typeNameOf(value)}`);
    else {
      for (const [key, entry] of Object.entries(value)) {
        const at = `${place}/${escapePointer(key)}`;
        if (key.startsWith('x-') && (kind === 'pathItem' || kind === 'response')) continue;
        if (names !== undefined && !names.test(key)) {
          const form = name === 'paths' ? 'a path, which begins with /' : 'a status, such as 200 or 4XX, or default';
          report(at, `${key} in ${name} must be ${form}`);
        } else if (/^#\/components\/[^/]+$/.test(place) && !COMPONENT_NAME.test(key))
          report(at, `the name ${JSON.stringify(key)} of a component may only have letters, digits, ".", "-" and "_"`);
        else check(entry, key, at);
      }
    }
  }

  /** Returns the expected value, and the actual one if it differs. */
  function mismatchOf(kind: Kind, value: unknown, name: string, rules: Version): string | undefined {
    const isBoolean = kind === 'schema' && (rules > 0 || name === 'additionalProperties');
    if (isObject(value) || (isBoolean && typeof value === 'boolean')) return undefined;
    return `${withArticle(kind)}, not ${typeNameOf(value)}`;
  }

  /** Returns whether a document of version 3.0 has a keyword of 3.1 that changes no reference. */
  function isOf31(kind: Kind, name: string, { since }: Member): boolean {
    return version === 0 && kind === 'schema' && since === 1 && !NAMING.includes(name);
  }

  function isInVersion({ since = 0, until = 2 }: Member): boolean {
    return since <= version && version <= until;
  }

  function unknown(kind: Kind, name: string, node: Node): string {
    const { name: title, members } = OBJECTS[kind];
    const { since } = (Object.hasOwn(members, name) ? members[name] : undefined) ?? {};
    const subject = `${title} has no ${name}`;
    if (since !== undefined && since > version)
      return `${subject} before OpenAPI 3.${String(since)}: write openapi: 3.${String(since)}.0`;
    const known = Object.keys(members).filter(
      (other) => isInVersion(members[other] ?? {}) && !Object.hasOwn(node, other),
    );
    const closest = closestName(name, known);
    return closest === undefined ? subject : `${subject}: did you mean ${closest}?`;
  }

  function mismatch({ scalar, newValues = [] }: Member, value: unknown, rules: Version): string | undefined {
    const allTypes = rules === 0 ? TYPES : [...TYPES, 'null'];
    const isNamed = (name: unknown): boolean => typeof name === 'string' && allTypes.includes(name);
    const fail = (isValid: boolean, expected: string): string | undefined =>
      isValid ? undefined : `${expected}, not ${describe(value)}`;
    if (typeof scalar === 'object') {
      const values = rules < 2 ? scalar : [...scalar, ...newValues];
      return fail(typeof value === 'string' && values.includes(value), listed(values));
    }
    switch (scalar) {
      case 'string':
        return fail(typeof value === 'string', 'a string');
      case 'boolean':
        return fail(typeof value === 'boolean', 'true or false');
      case 'number':
        return fail(isNumber(value), 'a number');
      case 'positive':
        return fail(isNumber(value) && value > 0, 'a number above 0');
      case 'exclusive':
        return mismatch({ scalar: rules === 0 ? 'boolean' : 'number' }, value, rules);
      case 'count':
        return fail(isNumber(value) && value >= 0 && Number.isInteger(Number(value)), 'an integer of at least 0');
      case 'list':
        return fail(Array.isArray(value), 'a list');
      case 'strings':
        return fail(isStrings(value), 'a list of strings');
      case 'map':
        return fail(isObject(value), 'an object');
      case 'stringMap':
        return fail(isObject(value) && isStrings(Object.values(value)), 'an object of strings');
      case 'stringsMap':
        return fail(isObject(value) && Object.values(value).every(isStrings), 'an object of lists of strings');
      case 'type': {
        const types: unknown[] = rules > 0 && Array.isArray(value) ? value : [value];
        if (types.every(isNamed)) return undefined;
        const wrong = types.find((name) => !isNamed(name));
        return `${listed(allTypes)}${rules > 0 ? ', or a list of them' : ''}, not ${describe(wrong)}`;
      }
      default:
        return undefined;
    }
  }
}

const REQUIRED_IN_30: Readonly<Partial<Record<Kind, readonly string[]>>> = {
  document: ['paths'],
  operation: ['responses'],
};

function readAsIn31(subject: string): string {
  return `${subject} is read as in OpenAPI 3.1: write openapi: 3.1.0`;
}

function isOfOtherScheme(name: string, type: unknown): boolean {
  const isSpecific = Object.values(OF_SCHEMES).some((names) => names.includes(name));
  return isSpecific && OF_SCHEMES[String(type)]?.includes(name) !== true;
}

function isNumber(value: unknown): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isObject(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function wordOf(kind: Kind): string {
  return OBJECTS[kind].name.replace(/^an? /, '');
}

function withArticle(kind: Kind): string {
  const { name } = OBJECTS[kind];
  return /^an? /.test(name) ? name : 'an object';
}

function describe(value: unknown): string {
  if (typeof value === 'bigint') return String(value);
  const isShort = typeof value !== 'object' && JSON.stringify(value).length < 40;
  return isShort ? JSON.stringify(value) : typeNameOf(value);
}

function typeNameOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'bigint') return 'a number';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1) ?? ''}`;
}
