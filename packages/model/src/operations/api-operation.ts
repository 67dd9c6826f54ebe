import type { Schema } from '../values/dialect.ts';
import type { Json } from '../values/json-value.ts';
import type { NamedExamples } from '../values/named-examples.ts';
import type { ListExamples } from './documented-examples.ts';

/** One operation of the document, as clients see it. */
export type ApiOperation = {
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** The path template, including the base path of the server: `/v1/pets/{id}`. */
  readonly path: string;
  /** The path templates of all servers, each with a pattern for its request paths. */
  readonly paths: readonly { readonly path: string; readonly pattern: RegExp }[];
  /** The path template as in the document, without the base path. */
  readonly template: string;
  readonly tags: readonly string[];
  /** Whether its description is not valid: only its method and path are known. */
  readonly isInvalid: boolean;
  /** All documented methods of this path, in upper case. */
  readonly pathMethods: readonly string[];
  /** All paths of the document: several may match one request. */
  readonly allPaths: readonly PathMethods[];
  /** The patterns of paths with this method that are more specific: their requests are not of this operation. */
  readonly moreSpecificPaths: readonly RegExp[];
  readonly parameters: readonly Parameter[];
  readonly requestBody: { readonly required: boolean; readonly contents: readonly BodyContent[] } | undefined;
  /** By status: `200`, `4XX`, `default`. */
  readonly responses: Readonly<Record<string, ApiResponse>>;
  /** Alternative lists of schemes that are required together. Without any, or with an empty one, access is public. */
  readonly security: readonly (readonly SecurityScheme[])[];
  /** Whether credentials are documented as parameters, too, so that each may be required with any alternative. */
  readonly hasCredentialParameters: boolean;
  /** The schema of Content-Length; `undefined` where the document does not describe it. */
  readonly contentLength: Schema | undefined;
};

/** The documented methods of the paths that match a pattern, in upper case. */
export type PathMethods = { readonly path: string; readonly pattern: RegExp; readonly methods: readonly string[] };

export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  /** Whether the schema has a default: servers may accept requests without a required value then. */
  readonly hasDefault: boolean;
  /** Whether the schema says nothing about types, so that a server reads any value as one text. */
  readonly isUntyped: boolean;
  /** Whether the schema allows strings and other scalars, so that a server may read `1` as either. */
  readonly isAmbiguous: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly allowEmptyValue: boolean;
  /** Whether the value is sent as JSON text (`content` instead of `schema`). */
  readonly isJson: boolean;
  readonly schema: Schema | undefined;
  readonly examples: ListExamples;
  /** The examples with a name. */
  readonly named: NamedExamples;
};

export type BodyContent = {
  /** In lower case; may have wildcards. */
  readonly mediaType: string;
  /** Whether it is text or bytes from which a server reads the value that the schema describes. */
  readonly isStructured: boolean;
  /** `undefined` where it does not describe the value, as the schema of an object does not describe a text. */
  readonly schema: Schema | undefined;
  /** The parts of a form, by name. */
  readonly parts: ReadonlyMap<string, FormPart>;
  readonly examples: ListExamples;
  /** The examples with a name. */
  readonly named: NamedExamples;
};

export type FormPart = {
  /** The media type of a file, or the documented one. */
  readonly contentType: string | undefined;
  readonly isFile: boolean;
  /** Whether the schema says that it may be a list or an object; otherwise, a server reads any text as one string. */
  readonly isStructured: boolean;
  /** Whether alternatives of the schema declare it differently: servers may read its text differently. */
  readonly isAmbiguous: boolean;
  /** Whether every alternative of the schema that declares it says that it is a string. */
  readonly isText: boolean;
};

export type ApiResponse = {
  readonly headers: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: Schema | undefined;
  }[];
  readonly contents: readonly BodyContent[];
  readonly links: readonly ResponseLink[];
};

/** A link to another operation, with the values of its parameters and its body: runtime expressions or constants. */
export type ResponseLink = {
  readonly operationId?: string;
  readonly operationRef?: string;
  readonly parameters?: Readonly<Record<string, Json>>;
  readonly requestBody?: Json;
};

export type SecurityScheme = {
  /** The name in the document. */
  readonly id: string;
  /** The scopes that the operation requires. */
  readonly scopes: readonly string[];
  readonly flows?: { readonly clientCredentials?: { readonly tokenUrl: string } };
  readonly type: string;
  readonly scheme?: string;
  readonly in?: 'header' | 'query' | 'cookie';
  readonly name?: string;
};

/** Finds a header parameter, by its name in lower case. */
export function headerParameter({ parameters }: ApiOperation, name: string): Parameter | undefined {
  return parameters.find((parameter) => parameter.in === 'header' && parameter.name.toLowerCase() === name);
}
