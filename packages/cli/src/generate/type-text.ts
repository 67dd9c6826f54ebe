/** The text of a TypeScript type. */
export type Type = {
  readonly text: string;
  readonly form: 'keyword' | 'union' | 'intersection' | 'other';
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
  readonly nullable?: boolean;
};

const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const INDENT = '    ';

export const NEVER = keyword('never');
export const UNKNOWN = keyword('unknown');
export const STRING = keyword('string');
export const NULL = keyword('null');

export function keyword(text: string): Type {
  return { text, form: 'keyword', references: [] };
}

export function typeNamed(text: string, references: readonly string[] = []): Type {
  return { text, form: 'other', references };
}

/** Returns a type with type arguments. */
export function generic(name: string, ...types: readonly Type[]): Type {
  const text = `${name}<${types.map((type) => type.text).join(', ')}>`;
  return typeNamed(text, referencesOf(types));
}

export function union(types: readonly Type[]): Type {
  return combine(types, 'union', ' | ');
}

export function intersection(types: readonly Type[]): Type {
  return combine(types, 'intersection', ' & ');
}

function combine(types: readonly Type[], form: 'union' | 'intersection', operator: string): Type {
  const [unknown, others] = [
    types.filter(({ text }) => text === 'unknown'),
    types.filter(({ text }) => text !== 'unknown'),
  ];
  if (unknown.length > 0 && (form === 'union' || others.length === 0)) return UNKNOWN;
  const unique = others.filter(({ text }, index) => others.findIndex((other) => other.text === text) === index);
  const [first = NEVER, ...rest] = unique;
  if (rest.length === 0) return first;
  return { text: unique.map(operandOf).join(operator), form, references: referencesOf(unique) };
}

export function array(item: Type): Type {
  return typeNamed(`${operandOf(item)}[]`, item.references);
}

/** Returns a tuple: the items that are required, those that may be absent, and the type of the others, if any. */
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

/** Returns a member of an object type, with the comment of what it stands for. */
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

/** Returns a JSDoc comment with a newline; an empty text where there is nothing to say. */
function commentOf(documented: Documented | undefined): string {
  if (typeof documented !== 'object') return '';
  const {
    title,
    summary,
    format,
    deprecated,
    description,
    example,
    examples,
    enum: values,
    type,
    nullable,
  } = documented;
  const tags: readonly (readonly [string, unknown])[] = [
    ['', title],
    ['', summary],
    ['', format && `Format: ${format}`],
    ['@deprecated', deprecated === true ? '' : undefined],
    ['@description', description === '' ? undefined : description],
    ['@default', documented.default],
    ['@example', example],
    ...(Array.isArray(examples) ? examples : []).map((value: unknown) => ['@example', value] as const),
    ['@constant', 'const' in documented ? '' : undefined],
    ['', values && `@enum {${[type ?? 'unknown', nullable === true ? 'null' : []].flat(2).join('|')}}`],
  ];
  const lines = tags.flatMap(([tag, value]) =>
    value === undefined || (tag === '' && value === '') ? [] : `${tag} ${textOf(value)}`.trim(),
  );
  if (lines.length === 0) return '';
  const text = lines.join('\n * ').replaceAll('*/', '*\\/');
  return lines.length === 1 && !text.includes('\n') ? `/** ${text} */\n` : `/**\n * ${text}\n */\n`;
}

function textOf(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return text.trim().replaceAll(/\r?\n/g, `\n * ${INDENT}`);
}

function operandOf({ text, form }: Type): string {
  return form === 'union' || form === 'intersection' ? `(${text})` : text;
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
