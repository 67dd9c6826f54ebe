import type { ArbitraryFactory, Json, Oracle, SchemaDocument } from '@contract-first/model/values';
import type { Corrections } from '@contract-first/model/resources';
import type { ApiOperation } from '@contract-first/model/operations';
import type { Connection, Redactor, Tokens, WireRequest } from '@contract-first/model/requests';
import type { createValidInputs, ExampleFaults } from '@contract-first/model/cases';
import type { CheckName } from '../judgement/checks.ts';
import type { ExtraHeader } from './extra-headers.ts';
import type { Hooks } from './hooks.ts';
import type { WithOwnKey } from './idempotency-keys.ts';
import type { CheckObserver } from '../judgement/observation.ts';
import type { CheckFailure } from '../judgement/failures.ts';
import type { Users } from './users.ts';

/** The state and options that all operations of a run share. */
export type Run = {
  readonly connection: Connection;
  readonly requestSchemas: SchemaDocument;
  readonly responseSchemas: SchemaDocument;
  /** Validates against the request schemas. */
  readonly requestOracle: Oracle;
  /** Validates against the response schemas. */
  readonly responseOracle: Oracle;
  readonly arbitraries: ArbitraryFactory;
  /** Returns the generator of an operation's valid requests. */
  readonly inputsOf: (operation: ApiOperation) => ReturnType<typeof createValidInputs>;
  readonly exampleFaults: ExampleFaults;
  /** Redacts secrets in messages. */
  readonly redactor: Pick<Redactor, 'header' | 'isSecret' | 'text'>;
  readonly withOwnKey: WithOwnKey;
  readonly users: Users;
  /** The tokens of the first user. */
  readonly tokens: Tokens;
  /** Added to the requests of every operation. */
  readonly headers: readonly ExtraHeader[];
  readonly seed: number;
  /** The number of generated requests of each kind per operation, in addition to the systematic requests. */
  readonly runs: number;
  /** The time limit of each response; `undefined` disables the check `max_response_time`. */
  readonly maxResponseTimeMs: number | undefined;
  /** The enabled checks. */
  readonly checks: ReadonlySet<CheckName>;
  /** Returns further statuses that are accepted for valid data, from `--expect`. */
  readonly expectedStatuses: (operation: ApiOperation) => ReadonlySet<number>;
  /** Returns whether `--shared` names an operation, so that any user may call it on any resource. */
  readonly isShared: (operation: ApiOperation) => boolean;
  /** Returns values from `--value` and hooks, by name. The salt selects among several values of a name. */
  readonly givenValues: (operation: ApiOperation, salt: number) => ReadonlyMap<string, Json>;
  /** Records that a request contains a value from `givenValues`. */
  readonly onGivenValue: (operation: ApiOperation, name: string) => void;
  readonly corrections: Corrections;
  readonly hooks: Hooks;
  /** The paths of resources that the run has deleted. */
  readonly deleted: ReadonlySet<string>;
  /** The latest creation of each resource, by the path and id of the resource. */
  readonly created: Map<string, WireRequest>;
  /** Schema violations caused by invalid data that the server accepted. */
  readonly echoes: Set<string>;
  /** Schema violations in responses to valid bodies, before they were echoes. */
  readonly faults: Set<string>;
  /** Returns whether all requests may wait because of an operation's `Retry-After`, and counts the wait. */
  readonly mayWait: (operation: ApiOperation, delayMs: number) => boolean;
  readonly onRequest: (operation: ApiOperation) => void;
  readonly onExchange: CheckObserver;
  readonly onFailure: (failure: CheckFailure) => void;
  /** Ends the run, even during a request. */
  readonly signal: AbortSignal;
};
