/** The settings that an application declares, by the names of their environment variables. */
export type Settings = { readonly [name: string]: Setting };

/** An environment variable. It is required unless it has a default or is optional. */
export type Setting = {
  /** Error messages never quote the value of a secret. */
  readonly secret?: boolean;
  /** An optional setting without a value is `undefined`. */
  readonly optional?: true;
} & (
  | { readonly type: 'string'; readonly enum?: readonly string[]; readonly default?: string }
  | { readonly type: 'url'; readonly default?: string }
  | { readonly type: 'integer'; readonly minimum: number; readonly maximum: number; readonly default?: number }
  /** `on` or `off`. */
  | { readonly type: 'switch'; readonly default?: boolean }
);

/** The values of settings. Declare settings `as const satisfies Settings` to infer the values of an `enum`. */
export type SettingsOf<Declared extends Settings> = {
  readonly [Name in keyof Declared]:
    | ValueOf<Declared[Name]>
    | (Declared[Name] extends { readonly type: string; readonly optional?: never } ? never : undefined);
};

type ValueOf<Declared extends Setting> = Declared extends { readonly type: 'integer' }
  ? number
  : Declared extends { readonly type: 'switch' }
    ? boolean
    : Declared extends { readonly enum: readonly (infer Value)[] }
      ? Value
      : string;
