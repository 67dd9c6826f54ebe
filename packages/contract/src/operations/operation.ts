import type { Shape, Shapes } from './shape.ts';
import { kindOf } from './media-type.ts';

/** One operation of a generated contract. */
export type Operation = {
  readonly operationId: string;
  /** The method as in requests: `GET`. */
  readonly method: string;
  /** The path template of the document: `/things/{id}`. */
  readonly path: string;
  /** Alternative lists of requirements: every requirement of one list must be satisfied. Empty for a public operation. */
  readonly security: readonly (readonly SchemeRequirement[])[];
  readonly parameters: readonly Parameter[];
  /** The paths of the operation's own servers, which replace the base paths of the contract. */
  readonly basePaths?: readonly string[];
  readonly templatedBasePaths?: readonly string[];
  /** The int64s of the parameters, in an object with the members `path`, `query`, `header` and `cookie`. */
  readonly parameterInt64s?: Shape;
  readonly requestBody?: {
    readonly required: boolean;
    /** The bodies by media type or media range, as documented. */
    readonly content: Readonly<Record<string, RequestMediaType>>;
  };
  /** The responses by status: `200`, `4XX`, `default`. */
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
  /** The maximum size of a request body, which overrides the configured limit (`x-body-limit-bytes`). */
  readonly bodyLimitBytes?: number;
  /** The maximum total size of files by their schemas, added to the configured body limit. */
  readonly fileBytes?: number;
  /** The time limit of the handler (`x-time-limit-ms`). */
  readonly timeLimitMs?: number;
  readonly schemas: OperationSchemas;
  /** The shapes of the strings that the application decodes; absent if there are none. */
  readonly formats?: OperationFormats;
};

type Schema = Readonly<Record<string, unknown>>;

/** The schemas of an operation: one for each part of a request or response, in its direction. */
export type OperationSchemas = {
  /** The schema of an object with the parameters by location, like `RequestParts`. */
  readonly parameters: Schema;
  /** The schemas of request bodies, by documented media type. */
  readonly bodies: Schema;
  /** The schemas of responses, by key of `responses`. Headers are one object with lower-case names. */
  readonly responses: Readonly<Record<string, { readonly bodies: Schema; readonly headers?: Schema }>>;
};

/** The shapes of the strings that the application decodes, by part as in {@link OperationSchemas}. */
export type OperationFormats = {
  /** The shape of an object with the members `path`, `query`, `header` and `cookie`. */
  readonly parameters?: Shape;
  readonly bodies: Shapes;
  readonly responses: Readonly<Record<string, { readonly bodies: Shapes; readonly headers?: Shape }>>;
};

/** A security scheme and the required scopes or roles. */
export type SchemeRequirement = { readonly scheme: string; readonly scopes: readonly string[] };

/** A parameter and its serialization (OpenAPI 3.1, 4.8.12). */
export type Parameter = {
  readonly name: string;
  /** `querystring`: the value is the whole query string. */
  readonly in: 'path' | 'query' | 'querystring' | 'header' | 'cookie';
  /** `json` and `text` are parameters with `content` instead of a style; `text` is not parsed. */
  readonly style:
    | ('simple' | 'label' | 'matrix' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'cookie')
    | ('json' | 'text');
  readonly explode: boolean;
  /** An empty text stands for no parameter (`allowEmptyValue`). */
  readonly mayBeEmpty?: true;
  readonly type: TextType;
};

/**
 * The types that a text can be converted to. `items` and `properties` are present if the schema allows lists or
 * objects.
 */
export type TextType = {
  readonly scalars: readonly ('string' | 'number' | 'integer' | 'boolean' | 'null')[];
  /** The allowed strings, if the schema lists them and the text may be a scalar or an item. */
  readonly texts?: readonly string[];
  readonly items?: TextType;
  readonly properties?: Readonly<Record<string, TextType>>;
  /** The type of members not in `properties`. */
  readonly additional?: TextType;
  /** The text is JSON, even for scalars. */
  readonly json?: true;
  /** The value is a file, not text. */
  readonly file?: true;
  /** The size limits of a file. */
  readonly bytes?: ByteLimits;
};

/** Size limits in bytes: `minLength` and `maxLength` of the schema. */
export type ByteLimits = { readonly min?: number; readonly max?: number };

const SAFE_METHODS = ['GET', 'HEAD', 'OPTIONS', 'TRACE', 'QUERY'];

/** Returns the documented header `Idempotency-Key` of an operation; `undefined` if its method changes nothing. */
export function idempotencyKeyOf<Documented extends Pick<Parameter, 'name'> & { readonly in: string }>({
  method,
  parameters,
}: {
  readonly method: string;
  readonly parameters: readonly Documented[];
}): Documented | undefined {
  if (SAFE_METHODS.includes(method)) return undefined;
  return parameters.find(
    (parameter) => parameter.in === 'header' && parameter.name.toLowerCase() === 'idempotency-key',
  );
}

/** Returns the body limit of an operation. @param configured the default limit */
export function bodyLimitOf({ bodyLimitBytes, fileBytes = 0 }: Operation, configured: number): number {
  return bodyLimitBytes ?? configured + fileBytes;
}

/** Returns the problem of a size in bytes; `undefined` when it is within the limits. */
export function findSizeProblem(sizeBytes: number, { min = 0, max = Infinity }: ByteLimits = {}): string | undefined {
  if (sizeBytes < min) return `must not be smaller than ${String(min)} bytes`;
  return sizeBytes > max ? `must not be larger than ${String(max)} bytes` : undefined;
}

/** Returns the problem of a partial body that is already too large. */
export function findExcess(sizeBytes: number, { max = Infinity }: ByteLimits = {}): string | undefined {
  return findSizeProblem(sizeBytes, { max });
}

export type RequestMediaType = {
  /** The body is a sequence of JSON values, which the handler receives as a list. */
  readonly sequential?: true;
  /** The name of the application's codec for the body. */
  readonly codec?: string;
  readonly int64s?: Shape;
  /** The types of the fields of a form. */
  readonly form?: TextType;
  /** JSON in this media range is parsed, since the schema describes a value; other bodies are bytes. */
  readonly json?: true;
  /** The types of a plain text that is not a string. */
  readonly text?: TextType;
  /** The media types that the parts of a multipart form may have, by field. Other fields may have any media type. */
  readonly partTypes?: Readonly<Record<string, readonly string[]>>;
  /** The size limits of a binary body. */
  readonly bytes?: ByteLimits;
};

/**
 * Returns whether a body has bytes that are not parsed, such as files, so that the body need not fit into memory.
 *
 * @param sent the media type of the request; JSON by default
 */
export function isUpload(
  mediaType: string,
  { sequential, codec, json }: RequestMediaType,
  sent = 'application/json',
): boolean {
  if (sequential === true || codec !== undefined || (json === true && kindOf(sent) === 'json')) return false;
  return ['multipart', 'binary'].includes(kindOf(mediaType));
}

/** Returns the names of the codecs that operations need. */
export function listCodecs(operations: Readonly<Record<string, Operation>>): ReadonlySet<string> {
  const names = Object.values(operations).flatMap(({ requestBody, responses }) => [
    ...Object.values(requestBody?.content ?? {}).flatMap(({ codec }) => codec ?? []),
    ...Object.values(responses).flatMap(({ codecs = {} }) => Object.values(codecs)),
  ]);
  return new Set(names);
}

export type DocumentedResponse = {
  readonly mediaTypes: readonly string[];
  /** The media types of JSON sequences, for which the handler replies with a list. */
  readonly sequentialTypes?: readonly string[];
  /** The media types that are plain texts of numbers, booleans or null. */
  readonly scalarTexts?: readonly string[];
  /** The names of the application's codecs, by media type. */
  readonly codecs?: Readonly<Record<string, string>>;
  /** The size limits of binary bodies, by media type. */
  readonly bytes?: Readonly<Record<string, ByteLimits>>;
  /** The required headers, in lower case. */
  readonly requiredHeaders: readonly string[];
  /** The formats of headers that are JSON, or objects as `name=value`; by lower-case name. */
  readonly headerFormats?: Readonly<Record<string, 'json' | 'exploded'>>;
  /** The name of the failure body, if the engine itself sends this body, too. */
  readonly failure?: string;
};

/** An operation of a contract or of a document. */
export type WithResponses = { readonly responses: Readonly<Record<string, unknown>> };

/**
 * Finds the documented response for a status: the exact status, else its range, else `default`.
 *
 * @returns the key in `responses`; `undefined` if the status is not documented
 */
export function findResponseKey({ responses }: WithResponses, status: number): string | undefined {
  const exact = String(status);
  if (responses[exact] !== undefined) return exact;
  const range = `${exact.charAt(0)}XX`;
  if (responses[range] !== undefined) return range;
  return responses['default'] === undefined ? undefined : 'default';
}

/** A security scheme. `in` and `name` are members of API keys. */
export type SecurityScheme = {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
};
