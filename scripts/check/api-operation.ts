import type { Schema } from './dialect.ts';

/** One operation of the document, as far as a client knows it. */
export type ApiOperation = {
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** With the base path of the server: `/v1/plants/{id}`. */
  readonly path: string;
  /** Every method that the document has for this path, in upper case. */
  readonly pathMethods: readonly string[];
  readonly parameters: readonly Parameter[];
  readonly requestBody: { readonly required: boolean; readonly contents: readonly BodyContent[] } | undefined;
  /** By status: `200`, `4XX`, `default`. */
  readonly responses: Readonly<Record<string, ApiResponse>>;
  /** One of these must be satisfied, with every scheme in it. None listed, or an empty one: open to all. */
  readonly security: readonly (readonly SecurityScheme[])[];
};

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly allowEmptyValue: boolean;
  /** Whether the value is sent as JSON text (`content` in place of `schema`). */
  readonly isJson: boolean;
  readonly schema: Schema | undefined;
};

export type BodyContent = {
  /** In lower case; may have wildcards. */
  readonly mediaType: string;
  readonly schema: Schema | undefined;
  /** Content types for the parts of a multipart body. */
  readonly partTypes: Readonly<Record<string, string>>;
};

export type ApiResponse = {
  readonly headers: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: Schema | undefined;
  }[];
  readonly contents: readonly BodyContent[];
};

export type SecurityScheme = {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: 'header' | 'query' | 'cookie';
  readonly name?: string;
};
