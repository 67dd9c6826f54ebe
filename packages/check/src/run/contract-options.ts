import type { OpenApiDocument } from '@contract-first/documents';
import type { Corrections } from '@contract-first/model/resources';
import type { Redactor } from '@contract-first/model/requests';
import type { Secret } from '@contract-first/command-line/options';
import type { CheckName } from '../judgement/checks.ts';
import type { ExtraHeader } from './extra-headers.ts';
import type { Failure } from '../judgement/failures.ts';
import type { Hooks } from './hooks.ts';
import type { Observer } from '../judgement/observation.ts';
import type { Expectation, GivenValue } from './selection.ts';
import type { UserOptions } from './users.ts';

/** The options of a run. */
export type ContractOptions = UserOptions & {
  /** Linted and bundled by `loadContract`. */
  readonly document: OpenApiDocument;
  /** The URL of the server. Its path replaces the base path of the document; `/` is one, and none leaves it. */
  readonly baseUrl: string;
  /** Headers of every request. */
  readonly headers?: readonly ExtraHeader[] | undefined;
  /** Seed of the generator: the same seed generates the same requests. */
  readonly seed?: number | undefined;
  /** The number of generated requests of each kind for each operation, besides the systematic ones. */
  readonly runs?: number | undefined;
  /** The operations to check, by operationId, path, or method and path; all by default. */
  readonly operations?: readonly string[] | undefined;
  /** The tags of further operations to check. */
  readonly tags?: readonly string[] | undefined;
  /** The checks that count. */
  readonly checks?: ReadonlySet<CheckName> | undefined;
  readonly expectations?: readonly Expectation[] | undefined;
  /** Values that the server knows. */
  readonly values?: readonly GivenValue[] | undefined;
  /** Corrections of the resources that the document describes. */
  readonly corrections?: Corrections | undefined;
  readonly hooks?: Hooks | undefined;
  /** Replaces the secrets in values for messages. */
  readonly redactor?: Redactor | undefined;
  /** The time limit of each response; none by default. */
  readonly maxResponseTimeMs?: number | undefined;
  /** The size limit of each response; 16 MiB by default. */
  readonly maxResponseBytes?: number | undefined;
  /** The number of requests in a second; any number by default. */
  readonly rate?: number | undefined;
  /** The operations that everyone may use on the resources of others, by operationId, path, or method and path. */
  readonly shared?: readonly string[] | undefined;
  /** The time limit for all operations together; by default, 20 seconds and one more for each operation. */
  readonly budgetMs?: number | undefined;
  /** The number of operations that are checked at the same time. */
  readonly workers?: number | undefined;
  readonly onProgress?: ((progress: Progress) => void) | undefined;
  readonly onExchange?: Observer | undefined;
  /** Receives each failure when it is found, before its request is simplified. */
  readonly onFailure?: ((failure: Failure) => void) | undefined;
  /** Receives each token that is fetched, before it is sent. */
  readonly onSecret?: ((secret: Secret) => void) | undefined;
  /** Receives notes before the first request. */
  readonly onNote?: ((note: string) => void) | undefined;
  /** Whether operations may stay unchecked for which there are no credentials. */
  readonly isIncompleteAllowed?: boolean | undefined;
  readonly countsCoverage?: boolean | undefined;
  /** Ends the run early; its result has the failures so far. */
  readonly signal?: AbortSignal | undefined;
};

export type Progress = {
  /** The operation of the last request. */
  readonly operationId: string;
  readonly operations: number;
  /** The number of operations with a request. */
  readonly begun: number;
  readonly requests: number;
};
