import type { Int64Shape } from './int64.ts';

/** One operation of the contract, as the generator writes it. */
export type Operation = {
  readonly operationId: string;
  /** In upper case. */
  readonly method: string;
  /** The path template of the document: `/things/{id}`. */
  readonly path: string;
  /** One of these lists of security schemes must be satisfied, with every scheme in it; none listed: open to all. */
  readonly security: readonly (readonly string[])[];
  readonly parameters: readonly Parameter[];
  /** Where the int64s of the parameters are, in an object with the members `path`, `query`, `header` and `cookie`. */
  readonly parameterInt64s?: Int64Shape;
  readonly requestBody?: {
    readonly required: boolean;
    /** By media type or media range, as the document spells it. */
    readonly content: Readonly<Record<string, RequestMediaType>>;
  };
  /** By status: `200`, `4XX`, `default`. */
  readonly responses: Readonly<Record<string, DocumentedResponse>>;
};

/** How the text of a parameter becomes a value (OpenAPI 3.1, 4.8.12). */
export type Parameter = {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  /** `json`: the parameter has `content` instead of a style. */
  readonly style: 'simple' | 'form' | 'spaceDelimited' | 'pipeDelimited' | 'deepObject' | 'json';
  readonly explode: boolean;
  readonly type: TextType;
};

/** What a text may stand for. Lists and objects are there when the schema allows them. */
export type TextType = {
  readonly scalars: readonly ('string' | 'number' | 'boolean' | 'null')[];
  readonly items?: TextType;
  readonly properties?: Readonly<Record<string, TextType>>;
  /** What members may be that `properties` does not name. */
  readonly additional?: TextType;
  /** It is no text but bytes. */
  readonly file?: true;
};

export type RequestMediaType = {
  readonly int64s?: Int64Shape;
  /** For forms: what the text of each field may stand for. */
  readonly form?: TextType;
};

export type DocumentedResponse = {
  readonly mediaTypes: readonly string[];
  /** The headers that the answer must have, in lower case. */
  readonly requiredHeaders: readonly string[];
};

/**
 * Finds what the document says of a status: the status itself before its range before `default`.
 *
 * @returns the key and the plan; `undefined` when the document does not have the status
 */
export function findResponse(
  { responses }: Operation,
  status: number,
): readonly [string, DocumentedResponse] | undefined {
  for (const key of [String(status), `${String(status).charAt(0)}XX`, 'default']) {
    const plan = responses[key];
    if (plan !== undefined) return [key, plan];
  }
  return undefined;
}

/** The kind of a security scheme; `in` and `name` are those of an API key. */
export type SecurityScheme = {
  readonly type: string;
  readonly scheme?: string;
  readonly in?: string;
  readonly name?: string;
};
