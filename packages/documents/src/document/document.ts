import { escapePointer, type SecurityScheme } from '@contract-first/contract';
import type { OpenApiDocument, Reference } from './reference.ts';

/** A validated document, with the parts that the generator reads. */
export type Document = OpenApiDocument & {
  readonly info?: { readonly title: string; readonly version: string };
  readonly servers?: readonly Server[];
  readonly security?: readonly Requirement[];
  readonly paths?: Readonly<Record<string, PathItem>>;
  readonly components?: {
    readonly securitySchemes?: Readonly<Record<string, unknown>>;
    readonly schemas?: Readonly<Record<string, unknown>>;
  };
};
export type Server = {
  readonly url: string;
  readonly variables?: Readonly<Record<string, { readonly default: string; readonly enum?: readonly string[] }>>;
};
type Requirement = Readonly<Record<string, readonly string[]>>;
export type PathItem = Readonly<Record<string, unknown>> & {
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly servers?: readonly Server[];
  /** Operations by case-sensitive method (OpenAPI 3.2). */
  readonly additionalOperations?: Readonly<Record<string, unknown>>;
};
export type Content = Readonly<Record<string, MediaTypeObject>>;
export type MediaTypeObject = {
  readonly schema?: unknown;
  readonly itemSchema?: unknown;
  readonly encoding?: Readonly<Record<string, Encoding>>;
};
export type Encoding = {
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, unknown>>;
  readonly style?: string;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
};
export type ParameterObject = Readonly<Record<string, unknown>> & {
  readonly name: string;
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly style?: string;
  readonly explode?: boolean;
  readonly schema?: unknown;
  readonly content?: Content;
};
export type RequestBodyObject = { readonly required?: boolean; readonly content: Content };
export type ResponseObject = {
  readonly description?: string;
  readonly content?: Content;
  readonly headers?: Readonly<Record<string, ParameterObject | Reference>>;
};
export type OperationObject = {
  readonly operationId: string;
  readonly 'x-body-limit-bytes'?: number;
  readonly 'x-time-limit-ms'?: number;
  readonly summary?: string;
  readonly deprecated?: boolean;
  readonly tags?: readonly string[];
  readonly security?: readonly Requirement[];
  readonly parameters?: readonly (ParameterObject | Reference)[];
  readonly requestBody?: RequestBodyObject | Reference;
  readonly responses?: Readonly<Record<string, ResponseObject | Reference>>;
  readonly servers?: readonly Server[];
};
export type SecuritySchemeObject = SecurityScheme;

/** Lists the operations of a document with their JSON pointers. */
export function listOperations(document: Document) {
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => path.startsWith('/')); // Skips extensions (`x-…`).
  return paths.flatMap(([path, pathItem]) =>
    operationsOf(pathItem).map(([method, object]) => ({
      path,
      method,
      pathItem,
      object,
      pointer: operationPointer(path, method),
    })),
  );
}

/** Returns the operations of a path item with their methods as in requests. */
export function operationsOf(pathItem: PathItem): readonly (readonly [method: string, OperationObject])[] {
  const fixed = Object.entries(pathItem)
    .filter(([key]) => METHODS.includes(key))
    .map(([key, object]) => [key.toUpperCase(), object] as const);
  // Validated document.
  return [...fixed, ...Object.entries(pathItem.additionalOperations ?? {})] as [string, OperationObject][];
}

/** Returns the JSON pointer of an operation. */
export function operationPointer(path: string, method: string): string {
  return `#/paths/${escapePointer(path)}/${operationMember(method)}`;
}

/** Returns the JSON pointer of an operation from its path item, without a leading slash. */
export function operationMember(method: string): string {
  const key = method.toLowerCase();
  return METHODS.includes(key) ? key : `additionalOperations/${escapePointer(method)}`;
}

/** The keys of a path item with operations (OpenAPI 3.2, 4.9.1). Versions before 3.2 have no `query`. */
export const METHODS: readonly string[] = [
  'get',
  'put',
  'post',
  'delete',
  'options',
  'head',
  'patch',
  'trace',
  'query',
];

/** The members of a parameter that define its serialization. */
export type Serialization = { readonly in: string; readonly style?: string; readonly explode?: boolean };

/** Returns the `style` and `explode` of a parameter, or their defaults (OpenAPI 3.2, 4.12.2.2). */
export function withDefaultStyle(parameter: Serialization): { readonly style: string; readonly explode: boolean } {
  const isForm = parameter.in === 'query' || parameter.in === 'cookie';
  const { style = isForm ? 'form' : 'simple', explode = style === 'form' || style === 'cookie' } = parameter;
  return { style, explode };
}

/** The paths of servers, without a trailing slash. */
type BasePaths = {
  readonly basePaths: readonly string[];
  /** The paths with unrestricted variables. Each variable is one segment: `/{1}`. Absent without such paths. */
  readonly templatedBasePaths?: readonly string[];
};

// A placeholder that is not percent-encoded in paths, and does not occur in URLs.
const MARK = /~(\d+)~/g;

/** Returns the paths of servers for all values of their variables; `undefined` without servers. */
export function basePathsOf(servers: readonly Server[] = []): BasePaths | undefined {
  if (servers.length === 0) return undefined;
  const basePaths = new Set(servers.flatMap(pathsOf));
  const templated = new Set(servers.flatMap(templatesOf));
  return { basePaths: [...basePaths], ...(templated.size > 0 && { templatedBasePaths: [...templated] }) };
}

/** Returns the paths of a server for all values of its variables, the default first. */
function pathsOf({ url, variables = {} }: Server): string[] {
  const first = pathOf(url, (name) => variables[name]?.default);
  // Variables of the host have no effect on the path.
  const choices = Object.entries(variables).filter(([name, { enum: values = [] }]) =>
    values.some((value) => pathOf(url, (other) => (other === name ? value : variables[other]?.default)) !== first),
  );
  const filled = choices.reduce<Readonly<Record<string, string>>[]>(
    (all, [name, { enum: values = [] }]) =>
      all.flatMap((given) => values.map((value) => ({ ...given, [name]: value }))),
    [{}],
  );
  return [first, ...filled.map((given) => pathOf(url, (name) => given[name] ?? variables[name]?.default))];
}

function templatesOf({ url, variables = {} }: Server): string[] {
  const marked = Object.entries(variables).map(([name, variable], index) => {
    const mark = `~${String(index)}~`;
    const path = pathOf(url, (other) => (other === name ? mark : variables[other]?.default));
    const isAny = variable.enum === undefined && path.includes(mark) && !variable.default.includes('/');
    return [name, isAny ? { default: mark } : variable] as const;
  });
  const paths = pathsOf({ url, variables: Object.fromEntries(marked) });
  return paths.filter((path) => path.search(MARK) !== -1).map((path) => path.replaceAll(MARK, '{$1}'));
}

function pathOf(url: string, valueOf: (name: string) => string | undefined): string {
  const filled = url.replaceAll(/\{([^{}]+)\}/g, (_all, name: string) => valueOf(name) ?? '');
  return (URL.parse(filled, 'http://localhost')?.pathname ?? '').replace(/\/+$/, '');
}

/** The annotation keywords of schemas, except `default`. */
export const ANNOTATION_KEYWORDS = ['title', 'description', 'deprecated', 'externalDocs', 'xml', '$comment', 'summary'];
