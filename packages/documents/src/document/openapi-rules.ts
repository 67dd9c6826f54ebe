/** The keys of a path item that hold operations (OpenAPI 3.2, 4.9.1). The linter rejects `query` before 3.2. */
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

/** The members of a parameter object that decide how its value is written. */
export type Serialization = { readonly in: string; readonly style?: string; readonly explode?: boolean };

/** Returns `style` and `explode` of a parameter, with their defaults (OpenAPI 3.2, 4.12.2.2). */
export function withDefaultStyle(parameter: Serialization): { readonly style: string; readonly explode: boolean } {
  const isForm = parameter.in === 'query' || parameter.in === 'cookie';
  const { style = isForm ? 'form' : 'simple', explode = style === 'form' || style === 'cookie' } = parameter;
  return { style, explode };
}
