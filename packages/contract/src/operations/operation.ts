import type { Shape, Shapes } from './shape.ts';
import { kindOf } from './media-type.ts';

/** One operation of the contract, as the generator writes it. */
export type Operation = {
  readonly operationId: string;
  /** Spelled as in requests: `GET`. */
  readonly method: string;
  /** The path template of the document: `/things/{id}`. */
  readonly path: string;
  /** Alternative lists of requirements: every requirement of one list must be satisfied. Empty for a public operation. */
  readonly security: readonly (readonly SchemeRequirement[])[];
  readonly parameters: readonly Parameter[];
  /** The paths of the operation's own servers, which replace those of the contract. */
  readonly basePaths?: readonly string[];
  readonly templatedBasePaths?: readonly string[];
  /** The int64s of the parameters, in an object with the members `path`, `query`, `header` and `cookie`. */
  readonly parameterInt64s?: Shape;
  readonly requestBody?: {
    readonly required: boolean;
    /** By media type or media range, as the document spells it. */
    readonly content: Readonly<Record<string, RequestMediaType>>;
  };
  /** By status: `200`, `4XX`, `default`. */
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  /** The size that a request body may have, in place of the configured one (`x-body-limit-bytes`). */
  readonly bodyLimitBytes?: number;
  /** The size that its files may have by their schemas, in addition to the configured size of a body. */
  readonly fileBytes?: number;
  /** How long the handler may take (`x-time-limit-ms`). */
  readonly timeLimitMs?: number;
  readonly schemas: OperationSchemas;
  /** The strings that the application decodes; absent when there are none. */
  readonly formats?: OperationFormats;
};

type Schema = Readonly<Record<string, unknown>>;

/** The schemas of an operation: one for each part of a request or a response, for its direction. */
export type OperationSchemas = {
  /** The schema of an object with the parameters by location, as `RequestParts` has them. */
  readonly parameters: Schema;
  /** By documented media type. */
  readonly bodies: Schema;
  /** By key of `responses`; the headers are an object, by name in lower case. */
  readonly responses: Readonly<Record<string, { readonly bodies: Schema; readonly headers?: Schema }>>;
};

/** The strings that the application decodes, in the parts of {@link OperationSchemas}. */
export type OperationFormats = {
  /** In an object with the members `path`, `query`, `header` and `cookie`. */
  readonly parameters?: Shape;
  readonly bodies: Shapes;
  readonly responses: Readonly<Record<string, { readonly bodies: Shapes; readonly headers?: Shape }>>;
};

/** A security scheme, and the scopes or roles that are required of it. */
export type SchemeRequirement = { readonly scheme: string; readonly scopes: readonly string[] };

/** How the text of a parameter becomes a value (OpenAPI 3.1, 4.8.12). */
export type Parameter = {
  readonly name: string;
  /** `querystring`: the whole query is the value of this parameter. */
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie';
  /** `json` and `text`: the parameter has `content` instead of a style; `text` is not parsed. */
  readonly style:
    | ('simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'cookie')
    | ('json' | 'text');
  readonly explode: boolean;
  readonly type: TextType;
};

/** The types that a text can be converted to. `items` and `properties` are present if the schema allows them. */
export type TextType = {
  readonly scalars: readonly ('string' | 'number' | 'integer' | 'boolean' | 'null')[];
  readonly items?: TextType;
  readonly properties?: Readonly<Record<string, TextType>>;
  /** The type of members not in `properties`. */
  readonly additional?: TextType;
  /** The text is JSON, also where it is a scalar. */
  readonly json?: true;
  /** The value is a file, not text. */
  readonly file?: true;
  /** The sizes that a file may have. */
  readonly bytes?: ByteLimits;
};

/** The sizes that bytes may have: `minLength` and `maxLength` of their schema. */
export type ByteLimits = { readonly min?: number; readonly max?: number };

/** Returns the size that the body of a request may have. @param configured the size without limits of its own */
export function bodyLimitOf({ bodyLimitBytes, fileBytes = 0 }: Operation, configured: number): number {
  return bodyLimitBytes ?? configured + fileBytes;
}

/** Returns the problem of a size in bytes; `undefined` when it is within the limits. */
export function findSizeProblem(sizeBytes: number, { min = 0, max = Infinity }: ByteLimits = {}): string | undefined {
  if (sizeBytes < min) return `must not be smaller than ${String(min)} bytes`;
  return sizeBytes > max ? `must not be larger than ${String(max)} bytes` : undefined;
}

/** Returns the problem of bytes that are already too many, before their end is known. */
export function findExcess(sizeBytes: number, { max = Infinity }: ByteLimits = {}): string | undefined {
  return findSizeProblem(sizeBytes, { max });
}

export type RequestMediaType = {
  /** The body is a sequence of JSON values, and a list for the handler. */
  readonly sequential?: true;
  /** The name of the application's codec for the body. */
  readonly codec?: string;
  readonly int64s?: Shape;
  /** The types of the fields of a form. */
  readonly form?: TextType;
  /** The media types that the parts of a multipart form may have, by field. Others may have any. */
  readonly partTypes?: Readonly<Record<string, readonly string[]>>;
  /** The sizes of a body that is bytes. */
  readonly bytes?: ByteLimits;
};

/** Whether a body has bytes that need not be in memory as a whole: files, or bytes that are not parsed. */
export function isUpload(mediaType: string, { sequential, codec }: RequestMediaType): boolean {
  return sequential !== true && codec === undefined && ['multipart', 'binary'].includes(kindOf(mediaType));
}

/** Lists the names of the codecs that operations need. */
export function listCodecs(operations: Readonly<Record<string, Operation>>): ReadonlySet<string> {
  const names = Object.values(operations).flatMap(({ requestBody, responses }) => [
    ...Object.values(requestBody?.content ?? {}).flatMap(({ codec }) => codec ?? []),
    ...Object.values(responses).flatMap(({ codecs = {} }) => Object.values(codecs)),
  ]);
  return new Set(names);
}

export type DocumentedResponse = {
  readonly mediaTypes: readonly string[];
  /** The media types that are sequences of JSON values: the handler replies with a list. */
  readonly sequentialTypes?: readonly string[];
  /** The names of the application's codecs, by media type. */
  readonly codecs?: Readonly<Record<string, string>>;
  /** The sizes of bodies that are bytes, by media type. */
  readonly bytes?: Readonly<Record<string, ByteLimits>>;
  /** The required headers, in lower case. */
  readonly requiredHeaders: readonly string[];
  /** The headers that are JSON, or objects as `name=value`; in lower case. */
  readonly headerFormats?: Readonly<Record<string, 'json' | 'exploded'>>;
  /** The name of the body, if the engine may send this response as a failure of its own. */
  readonly failure?: string;
};

/**
 * Finds the documented response for a status: the status itself, else its range, else `default`.
 *
 * @returns its key in the document; `undefined` when the status is not documented
 */
export function findResponseKey({ responses }: Operation, status: number): string | undefined {
  const exact = String(status);
  if (responses[exact] !== undefined) return exact;
  const range = `${exact.charAt(0)}XX`;
  if (responses[range] !== undefined) return range;
  return responses['default'] === undefined ? undefined : 'default';
}

/** A security scheme; `in` and `name` belong to API keys. */
export type SecurityScheme = {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
};
