import { stringifyJson } from '@contract-first/contract';

/** The text of a TypeScript type. */
export type Type = {
  readonly text: string;
  /** Whether it needs parentheses as a part of another one. */
  readonly isCompound: boolean;
  /** The names of the schemas that it refers to, except in the properties of objects, where TypeScript allows cycles. */
  readonly references: readonly string[];
};

/** A member of an object type, with its comment. */
export type Member = { readonly text: string; readonly isOptional: boolean };

/** The fields of a part of a document that its comment shows. */
export type Documented = {
  readonly title?: string;
  readonly summary?: string;
  readonly description?: string;
  readonly format?: string;
  readonly deprecated?: boolean;
  readonly default?: unknown;
  readonly example?: unknown;
  readonly examples?: unknown;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly type?: string | readonly string[];
};

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const INDENT = '    ';

export const NEVER = typeNamed('never');
export const UNKNOWN = typeNamed('unknown');
export const STRING = typeNamed('string');
export const NULL = typeNamed('null');

export function typeNamed(text: string, references: readonly string[] = []): Type {
  return { text, isCompound: false, references };
}

/** Returns a type with type arguments. */
export function generic(name: string, ...types: readonly Type[]): Type {
  const text = `${name}<${types.map((type) => type.text).join(', ')}>`;
  return typeNamed(text, referencesOf(types));
}

export function union(types: readonly Type[]): Type {
  return types.some(isUnknown) ? UNKNOWN : combine(types, ' | ');
}

export function intersection(types: readonly Type[]): Type {
  const known = types.filter((type) => !isUnknown(type));
  return known.length === 0 && types.length > 0 ? UNKNOWN : combine(known, ' & ');
}

function isUnknown({ text }: Type): boolean {
  return text === UNKNOWN.text;
}

function combine(types: readonly Type[], operator: string): Type {
  const unique = [...new Map(types.map((type) => [type.text, type])).values()];
  const [first = NEVER, ...rest] = unique;
  if (rest.length === 0) return first;
  return { text: unique.map(operandOf).join(operator), isCompound: true, references: referencesOf(unique) };
}

export function array(item: Type): Type {
  return typeNamed(`${operandOf(item)}[]`, item.references);
}

/** Returns a tuple of required items, optional items and, if any, further items of one type. */
export function tuple(required: readonly Type[], optional: readonly Type[] = [], rest?: Type): Type {
  const items = [
    ...required.map(({ text }) => text),
    ...optional.map((type) => `${operandOf(type)}?`),
    ...(rest === undefined ? [] : [`...${array(rest).text}`]),
  ];
  const types = [...required, ...optional, ...(rest === undefined ? [] : [rest])];
  return typeNamed(`[\n${indent(items.join(',\n'))}\n]`, referencesOf(types));
}

/** Returns the type that only a value of JSON has. */
export function literal(value: unknown): Type {
  if (value === null) return NULL;
  if (Array.isArray(value)) return value.length === 0 ? array(NEVER) : tuple(value.map(literal));
  if (typeof value !== 'object') return typeof value === 'bigint' ? UNKNOWN : typeNamed(JSON.stringify(value));
  const members = Object.entries(value).map(([name, part]) => member(name, literal(part)));
  return members.length === 0 ? generic('Record', STRING, NEVER) : object(members);
}

export function object(members: readonly Member[]): Type {
  return typeNamed(`{\n${indent(members.map(({ text }) => text).join('\n'))}\n}`);
}

/** Returns a member of an object type, with its comment. */
export function member(name: string, { text }: Type, { isOptional = false, documented }: MemberOptions = {}): Member {
  const key = IDENTIFIER.test(name) || /^(?:0|[1-9]\d*)$/.test(name) ? name : JSON.stringify(name);
  const declaration = `${key}${isOptional ? '?' : ''}: ${text};`;
  return { text: commentOf(documented) + declaration, isOptional };
}

type MemberOptions = {
  readonly isOptional?: boolean;
  readonly documented?: Documented | undefined;
};

/** Returns the member for all other names. */
export function otherMembers(key: string, { text }: Type): Member {
  return { text: `[${key}: string]: ${text};`, isOptional: true };
}

/** Returns a JSDoc comment and a newline; an empty text for a part without documentation. */
function commentOf(documented: Documented | undefined): string {
  if (typeof documented !== 'object') return '';
  const { format, description, examples, enum: values, type = 'unknown' } = documented;
  const tags: readonly (readonly [string, unknown])[] = [
    ['', documented.title],
    ['', documented.summary],
    ['', format && `Format: ${format}`],
    ['@deprecated', documented.deprecated === true ? '' : undefined],
    ['@description', description === '' ? undefined : description],
    ['@default', documented.default],
    ['@example', documented.example],
    ...(Array.isArray(examples) ? examples : []).map((value: unknown) => ['@example', value] as const),
    ['@constant', 'const' in documented ? '' : undefined],
    ['', values && `@enum {${[type].flat().join('|')}}`],
  ];
  const lines = tags.flatMap(([tag, value]) =>
    value === undefined || (tag === '' && value === '') ? [] : `${tag} ${textOf(value)}`.trim(),
  );
  if (lines.length === 0) return '';
  const text = lines.join('\n * ').replaceAll('*/', '*\\/');
  return lines.length === 1 && !text.includes('\n') ? `/** ${text} */\n` : `/**\n * ${text}\n */\n`;
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : stringifyJson(value);
  return text.trim().replaceAll(/\r?\n/g, `\n * ${INDENT}`);
}

function operandOf({ text, isCompound }: Type): string {
  return isCompound ? `(${text})` : text;
}

function referencesOf(types: readonly Type[]): readonly string[] {
  return types.flatMap(({ references }) => references);
}

function indent(text: string): string {
  return text
    .split('\n')
    .map((line) => (INDENT + line).trimEnd())
    .join('\n');
}
