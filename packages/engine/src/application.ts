import type { AnyFormats, Contract } from '@contract-first/contract';
import type { Logger } from 'pino';
import type { Registry } from 'prom-client';
import type { Checker } from './auth/credentials.ts';
import type { DocumentText, ReadState } from './docs/docs.ts';
import type { Middleware } from './http/app.ts';
import type { Codec } from './http/read/codecs.ts';
import type { FailureHeaders, RenderFailure } from './http/reply/failure-response.ts';
import type { AnyHandler } from './http/pipeline.ts';
import type { Settings, SettingsOf } from './settings.ts';

/**
 * An application: its document and the code behind its operations.
 *
 * @typeParam Location where its database is, as its driver describes it
 * @typeParam Own the settings that it declares
 */
export type Application<Location = unknown, Own extends Settings = Settings> = {
  readonly contract: Contract;
  /** Renders the bodies of failures, by the names in the generated types. */
  readonly failures: Readonly<Record<string, RenderFailure>>;
  /** Returns the headers that the document has for a failure and the engine does not send itself. */
  readonly failureHeaders?: FailureHeaders;
  /** By media type: those in `codecs.ts`, beside `contract.ts`, from which the generator knows them. */
  readonly codecs?: Readonly<Record<string, Codec>>;
  /** The codecs of the formats that the application declares, by format. */
  readonly formats?: AnyFormats;
  /** `undefined` for an application without a database. */
  readonly database?: DatabaseDriver<Location>;
  /**
   * The document for the docs page: its text, or the folder of `openapi.yaml` and `generated/openapi.json`. Without it, there
   * is no docs page.
   */
  readonly document?: DocumentText | URL;
  /** The state of a mock for the docs page, as JSON by path. */
  readonly state?: ReadState;
  /**
   * Opens the resources of the handlers.
   *
   * @throws an error that the driver calls unavailable, when the service cannot start without the database
   */
  // A method, so that an application with any location is one with an unknown location.
  open(options: OpenOptions<Location, Own>): Promise<Backend>;
} & Declaring<Own>;

/** Declares the environment variables that an application has beside those of the engine. */
type Declaring<Own extends Settings> = Settings extends Own ? { readonly settings?: Own } : { readonly settings: Own };

/** The database of an application, the values of its settings, and where its metrics go. */
export type OpenOptions<Location = unknown, Own extends Settings = Settings> = DatabaseConfig<Location> &
  DriverOptions & {
    readonly settings: SettingsOf<Own>;
    /** `/metrics` has the metrics that are registered here: `new Counter({ name, help, registers: [metrics] })`. */
    readonly metrics: Registry;
  };

/** The open parts of an application. */
type Backend = {
  /** By operationId. */
  readonly handlers: Readonly<Record<string, AnyHandler>>;
  /** Checks the credentials of security schemes that the engine does not know, by the name of the scheme. */
  readonly checkers: Readonly<Record<string, Checker>>;
  /** Express middleware for every request, before the operations: sessions, static files, a webhook of another system. */
  readonly middleware?: readonly Middleware[];
  /** Checks that requests can be handled now. @throws an error that the driver calls unavailable, when they cannot */
  readonly check: () => Promise<void>;
  /** Closes the parts when no request is pending. */
  readonly close: () => Promise<void>;
};

/** Describes a kind of databases to the engine. `databaseAt` of `@contract-first/database` creates one. */
export type DatabaseDriver<Location = unknown> = {
  /** The `DATABASE_URL` where none is configured. */
  readonly defaultUrl: string;
  /** Reads a `DATABASE_URL`. Returns the location, or all problems, one line each. */
  parseUrl(url: string): { readonly location: Location } | { readonly problems: readonly string[] };
  /** Describes a location for people, without its password. */
  describe(location: Location): string;
  /** Returns whether an error means that the database cannot be used for now. */
  isUnavailable(error: unknown): error is Error;
  /** Returns whether an error means that the database cannot store a character of a text: U+0000. */
  isTextNotStorable(error: unknown): boolean;
  /** Opens a counter that all instances on the database share; `undefined` when each instance counts for itself. */
  openCounter(
    location: Location,
    counter: { readonly name: string; readonly windowSeconds: number },
    options: DriverOptions,
  ): Promise<SharedCounter | undefined>;
};

/** Counts requests together with all instances of the application. */
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
  /** Connections to a database server for writing, and as many for reading. */
  readonly poolSize: number;
  /** How long a write or a read may take. */
  readonly timeoutMs: number;
  /** How much may wait to be written, and how much to be read. */
  readonly queueLimitBytes: number;
};

/** How a database works for its users. */
export type DriverOptions = DatabaseLimits & {
  /** Receives each commit: its number of rows and its duration. */
  readonly onCommit?: (rows: number, durationMs: number) => void;
  readonly log: Logger;
};
