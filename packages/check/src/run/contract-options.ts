import type { OpenApiDocument } from '@contract-first/documents';
import type { Corrections } from '@contract-first/model/resources';
import type { Redactor } from '@contract-first/model/requests';
import type { Secret, Tls } from '@contract-first/command-line/options';
import type { CheckName } from '../judgement/checks.ts';
import type { ExtraHeader } from './extra-headers.ts';
import type { CheckFailure } from '../judgement/failures.ts';
import type { Hooks } from './hooks.ts';
import type { CheckObserver } from '../judgement/observation.ts';
import type { Expectation, GivenValue, Selection } from './selection.ts';
import type { UserOptions } from './users.ts';

/** The default number of generated requests of each kind per operation. */
export const DEFAULT_RUNS = 100;

/** The options of a run. */
export type ContractOptions = UserOptions &
  Selection & {
    /** Linted and bundled by `loadContract`. */
    readonly document: OpenApiDocument;
    /** The URL of the server. Its path, if any, replaces the document's base path; `/` counts as a path. */
    readonly baseUrl: string;
    readonly tls?: Tls | undefined;
    /** Headers that are added to every request. */
    readonly headers?: readonly ExtraHeader[] | undefined;
    /** The seed of the generator; the same seed generates the same requests. */
    readonly seed?: number | undefined;
    /** The number of generated requests of each kind per operation, in addition to the systematic requests. */
    readonly runs?: number | undefined;
    /** The enabled checks. */
    readonly checks?: ReadonlySet<CheckName> | undefined;
    readonly expectations?: readonly Expectation[] | undefined;
    /** Values that exist on the server. */
    readonly values?: readonly GivenValue[] | undefined;
    /** Corrections to the resources derived from the document. */
    readonly corrections?: Corrections | undefined;
    readonly hooks?: Hooks | undefined;
    /** Redacts secrets in messages. */
    readonly redactor?: Redactor | undefined;
    /** The time limit of each response; none by default. */
    readonly maxResponseTimeMs?: number | undefined;
    /** The size limit of each response; 16 MiB by default. */
    readonly maxResponseBytes?: number | undefined;
    /** The maximum number of requests per second; unlimited by default. */
    readonly rate?: number | undefined;
    /** The operations that any user may call on any resource, by operationId, path, or method and path. */
    readonly shared?: readonly string[] | undefined;
    /** The time limit for the run; by default, 20 seconds plus one second per operation. */
    readonly budgetMs?: number | undefined;
    /** The number of operations that are checked concurrently. */
    readonly workers?: number | undefined;
    readonly onProgress?: ((progress: Progress) => void) | undefined;
    readonly onExchange?: CheckObserver | undefined;
    /** Receives each new failure, before its request is simplified. */
    readonly onFailure?: ((failure: CheckFailure) => void) | undefined;
    /** Receives each fetched token before its first use. */
    readonly onSecret?: ((secret: Secret) => void) | undefined;
    /** Receives notes before the first request. */
    readonly onNote?: ((note: string) => void) | undefined;
    /** Whether operations without credentials may be skipped. */
    readonly isIncompleteAllowed?: boolean | undefined;
    readonly countsCoverage?: boolean | undefined;
    /** Ends the run early. The result contains the failures so far. */
    readonly signal?: AbortSignal | undefined;
  };

export type Progress = {
  /** The operation of the last request. */
  readonly operationId: string;
  readonly operations: number;
  /** The number of operations with at least one request. */
  readonly begun: number;
  readonly requests: number;
};
