import type { JsonSchema } from '../values/json-schema.ts';
import type { Json } from '../values/json-value.ts';
import type { NamedExamples } from '../values/named-examples.ts';
import type { ListExamples } from './documented-examples.ts';

/** An operation of the document from the client's view. */
export type ApiOperation = {
  readonly operationId: string;
  /** The method in upper case. */
  readonly method: string;
  /** The path template, including the base path of the server, percent-encoded: `/v1/pets/{id}`. */
  readonly path: string;
  /** The path templates of all servers, each with a pattern for its request paths. */
  readonly paths: readonly { readonly path: string; readonly pattern: RegExp }[];
  /** The path template as in the document, without the base path. */
  readonly template: string;
  readonly tags: readonly string[];
  /** Whether the operation is invalid, so that only its method and path are known. */
  readonly isInvalid: boolean;
  readonly isDeprecated: boolean;
  /** All documented methods of this path, in upper case. */
  readonly pathMethods: readonly string[];
  /** All paths of the document: several may match one request. */
  readonly allPaths: readonly PathMethods[];
  /** The patterns of more specific paths with this method, whose requests do not belong to this operation. */
  readonly moreSpecificPaths: readonly RegExp[];
  readonly parameters: readonly ApiParameter[];
  readonly requestBody: { readonly required: boolean; readonly contents: readonly BodyContent[] } | undefined;
  /** The responses by status: `200`, `4XX`, `default`. */
  readonly responses: Readonly<Record<string, ApiResponse>>;
  /** Alternative lists of required schemes. Access is public if there is no list or an empty list. */
  readonly security: readonly (readonly ApiSecurityScheme[])[];
  /** All documented requirements, if {@link security} has only the requirements whose credentials are known. */
  readonly documentedSecurity?: ApiOperation['security'];
  /** Whether credentials are also documented as parameters, which may be required with any alternative. */
  readonly hasCredentialParameters: boolean;
  /** The documented schema of Content-Length, if any. */
  readonly contentLength: JsonSchema | undefined;
};

/** The documented methods, in upper case, of the paths that match a pattern. */
export type PathMethods = { readonly path: string; readonly pattern: RegExp; readonly methods: readonly string[] };

export type ApiParameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required: boolean;
  /** Whether the schema has a default, so that servers may accept requests without a required value. */
  readonly hasDefault: boolean;
  /** Whether the schema has no type information, so that servers read any value as text. */
  readonly isUntyped: boolean;
  /** Whether the schema allows strings and other scalars, so that servers may read `1` as either. */
  readonly isAmbiguous: boolean;
  readonly style: string;
  readonly explode: boolean;
  readonly allowEmptyValue: boolean;
  /** Whether the value is sent as JSON text (`content` instead of `schema`). */
  readonly isJson: boolean;
  readonly schema: JsonSchema | undefined;
  readonly examples: ListExamples;
  /** The examples with a name. */
  readonly named: NamedExamples;
};

export type BodyContent = {
  /** The media type or range in lower case. */
  readonly mediaType: string;
  /** The Content-Type of requests: the media type, or a media type for which servers select the range. */
  readonly contentType: string;
  /** Whether the schema describes a value that servers parse from text or bytes in an undefined way. */
  readonly isStructured: boolean;
  /** `undefined` if the schema does not apply to the value, such as an object schema for text. */
  readonly schema: JsonSchema | undefined;
  /** The parts of a form, by name. */
  readonly parts: ReadonlyMap<string, FormPart>;
  readonly examples: ListExamples;
  /** The examples with a name. */
  readonly named: NamedExamples;
};

export type FormPart = {
  /** The media type of a file, or the documented media type. */
  readonly contentType: string | undefined;
  readonly isFile: boolean;
  /** Whether the schema allows a list or an object; otherwise, servers read any text as one string. */
  readonly isStructured: boolean;
  /**
   * Whether alternatives of the schema declare the part differently, so that servers may parse its text differently.
   */
  readonly isAmbiguous: boolean;
  /** Whether every alternative of the schema that declares the part declares a string. */
  readonly isText: boolean;
};

export type ApiResponse = {
  readonly headers: readonly {
    readonly name: string;
    readonly required: boolean;
    readonly schema: JsonSchema | undefined;
  }[];
  readonly contents: readonly BodyContent[];
  readonly links: readonly ResponseLink[];
};

/** A link to another operation, with parameters and a body given by runtime expressions or constants. */
export type ResponseLink = {
  readonly operationId?: string;
  readonly operationRef?: string;
  readonly parameters?: Readonly<Record<string, Json>>;
  readonly requestBody?: Json;
};

export type ApiSecurityScheme = {
  /** The name of the scheme in the document. */
  readonly id: string;
  /** The scopes that the operation requires. */
  readonly scopes: readonly string[];
  readonly flows?: { readonly clientCredentials?: { readonly tokenUrl: string } };
  readonly type: string;
  readonly scheme?: string;
  readonly in?: 'header' | 'query' | 'cookie';
  readonly name?: string;
};

/** Finds a header parameter by its lower-case name. */
export function headerParameter({ parameters }: ApiOperation, name: string): ApiParameter | undefined {
  return parameters.find((parameter) => parameter.in === 'header' && parameter.name.toLowerCase() === name);
}
