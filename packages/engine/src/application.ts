import type { AnyFormats, Contract } from '@contract-first/contract';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Checker } from './auth/credentials.ts';
import type { DocumentText, ReadState } from './docs/docs.ts';
import type { CorsPolicy } from './http/accept/cors.ts';
import type { Middleware } from './http/app.ts';
import type { Codec } from './http/read/codecs.ts';
import type { FailureHeaders, FailureStatus, RenderFailure } from './http/reply/failure-response.ts';
import type { AnyHandler } from './http/handle/call-handler.ts';
import type { Once } from './http/handle/idempotency.ts';
import type { Settings, SettingsOf } from './settings.ts';

/**
 * An application: its document and the code behind its operations.
 *
 * @typeParam Location the location of the database, as parsed by the driver
 * @typeParam Declared the settings that the application declares
 */
export type Application<Location = unknown, Declared extends Settings = Settings> = {
  readonly contract: Contract;
  /** Renders the bodies of failures, by the names in the generated types. */
  readonly failures: Readonly<Record<string, RenderFailure>>;
  /** Lets invalid credentials count as none where they are optional (`security: [{}, …]`), instead of a 401. */
  readonly ignoresInvalidCredentials?: boolean;
  /** Decides the status of a failure. Without it, or if it returns `undefined`, the document decides. */
  readonly failureStatus?: FailureStatus;
  /** Returns the documented headers of a failure that the engine does not send itself. */
  readonly failureHeaders?: FailureHeaders;
  /** The codecs in `codecs.ts`, by media type. The generator reads that file, which is beside `contract.ts`. */
  readonly codecs?: Readonly<Record<string, Codec>>;
  /** The codecs of the formats that the application declares, by format. */
  readonly formats?: AnyFormats;
  /** `undefined` for an application without a database. */
  readonly database?: DatabaseDriver<Location>;
  /**
   * The document for the docs page: its text, or the folder of `openapi.yaml` and `generated/openapi.json`. Without a
   * document, there is no docs page.
   */
  readonly document?: DocumentText | URL;
  /** Which pages of other origins may read responses, unless the configuration lists origins. */
  readonly cors?: CorsPolicy;
  /** Returns the state of a mock for the docs page, as JSON by path. */
  readonly state?: ReadState;
  /**
   * Opens the resources of the handlers.
   *
   * @throws an error for which the driver's `isUnavailable` is true, when the database prevents the start
   */
  // A method, not a function property: method parameters are bivariant, so any application is an Application<unknown>.
  open(options: OpenOptions<Location, Declared>): Promise<Backend>;
} & Declaring<Declared>;

/** Declares the application's own environment variables, in addition to the engine's. */
type Declaring<Declared extends Settings> = Settings extends Declared
  ? { readonly settings?: Declared }
  : { readonly settings: Declared };

/** The database, the settings and the metrics registry of an application. */
export type OpenOptions<Location = unknown, Declared extends Settings = Settings> = DatabaseConfig<Location> &
  DriverOptions & {
    readonly settings: SettingsOf<Declared>;
    /** Metrics registered here appear in `/metrics`: `new Counter({ name, help, registers: [metrics] })`. */
    readonly metrics: Registry;
  };

/** The open parts of an application. */
type Backend = {
  /** By operationId. */
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Checks the credentials of security schemes that the engine does not support, by the name of the scheme. */
  readonly checkers: Readonly<Record<string, Checker>>;
  /** Express middleware that runs before the operations, for every request: sessions, static files, webhooks. */
  readonly middleware?: readonly Middleware[];
  /**
   * Keeps the responses of operations with the header `Idempotency-Key`: `once` of a database, or `'handlers'` if the
   * handlers implement the header. Without it, such requests get a 501, and a production start fails.
   */
  readonly once?: Once | 'handlers' | undefined;
  /**
   * Checks that requests can be handled now.
   *
   * @throws when they cannot; the driver's `isUnavailable` accepts the error
   */
  readonly check: () => Promise<void>;
  /** Closes the resources; called when no request is pending. */
  readonly close: () => Promise<void>;
};

/** Describes a kind of database to the engine. `databaseAt` of `@contract-first/database` creates a driver. */
export type DatabaseDriver<Location = unknown> = {
  /** The default `DATABASE_URL`. */
  readonly defaultUrl: string;
  /** Reads a `DATABASE_URL`. Returns the location, or all problems, one line each. */
  parseUrl(url: string): { readonly location: Location } | { readonly problems: readonly string[] };
  /** Describes a location to operators, without its password. */
  describe(location: Location): string;
  /** Returns whether an error means that the database is temporarily unavailable. */
  isUnavailable(error: unknown): error is Error;
  /** Returns whether an error means that the database cannot store a string with U+0000. */
  isTextNotStorable(error: unknown): boolean;
  /** Opens a counter that all instances on the database share. Returns `undefined` when each instance counts alone. */
  openCounter(
    location: Location,
    counter: { readonly name: string; readonly windowSeconds: number },
    options: DriverOptions,
  ): Promise<SharedCounter | undefined>;
};

/** A counter that all instances of the application share. */
type SharedCounter = {
  /** Counts a request in the window of its key. */
  readonly add: (
    key: string,
    kind: 'caller' | 'address',
  ) => Promise<{ readonly count: number; readonly remainingMs: number }>;
  readonly close: () => Promise<void>;
};

/** The location of the database and its limits. */
export type DatabaseConfig<Location = unknown> = { readonly location: Location } & DatabaseLimits;

/** The limits of a database. */
type DatabaseLimits = {
  /** The number of connections to a database server for writing, and the same number for reading. */
  readonly poolSize: number;
  /** How long a write or a read may take. */
  readonly timeoutMs: number;
  /** The size limit of the write queue, and of the read queue. */
  readonly queueLimitBytes: number;
};

/** The options of a database. */
export type DriverOptions = DatabaseLimits & {
  /** Whether the document has operations with the header `Idempotency-Key`, so that the database needs `once`. */
  readonly once?: boolean;
  /** Receives each commit: its number of rows and its duration. */
  readonly onCommit?: (rows: number, durationMs: number) => void;
  readonly log: Logger;
};
