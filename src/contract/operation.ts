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
  readonly requestBody?: {
    readonly required: boolean;
    /** Media types in lower case, each with the place of its int64s. */
    readonly content: Readonly<Record<string, MediaType>>;
  };
  /** The documented statuses (`200`, `4XX`, `default`), each with its media types. */
  readonly responses: Readonly<Record<string, readonly string[]>>;
};

export type MediaType = { readonly int64s?: Int64Shape };

export type SecurityScheme = { readonly type: string; readonly scheme?: string };
