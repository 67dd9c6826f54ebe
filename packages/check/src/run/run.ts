import type { ArbitraryFactory, Json, Oracle, SchemaDocument } from '@contract-first/model/values';
import type { Corrections } from '@contract-first/model/resources';
import type { ApiOperation } from '@contract-first/model/operations';
import type { Connection, Redactor, Tokens } from '@contract-first/model/requests';
import type { ExampleFaults } from '@contract-first/model/cases';
import type { CheckName } from '../judgement/checks.ts';
import type { ExtraHeader } from './extra-headers.ts';
import type { Hooks } from './hooks.ts';
import type { WithOwnKey } from './idempotency-keys.ts';
import type { Observer } from '../judgement/observation.ts';
import type { Failure } from '../judgement/failures.ts';
import type { Users } from './users.ts';

/** What the operations of a run share. */
export type Run = {
  readonly connection: Connection;
  readonly requestSchemas: SchemaDocument;
  readonly responseSchemas: SchemaDocument;
  /** Validates by the schemas for requests. */
  readonly requestOracle: Oracle;
  /** Validates by the schemas for responses. */
  readonly responseOracle: Oracle;
  readonly arbitraries: ArbitraryFactory;
  readonly exampleFaults: ExampleFaults;
  /** Replaces the secrets in values for messages. */
  readonly redactor: Pick<Redactor, 'header' | 'text'>;
  readonly withOwnKey: WithOwnKey;
  readonly users: Users;
  /** The tokens of the first user. */
  readonly tokens: Tokens;
  /** Added to the requests of every operation. */
  readonly headers: readonly ExtraHeader[];
  readonly seed: number;
  /** The number of generated requests of each kind for each operation, besides the systematic ones. */
  readonly runs: number;
  /** The time limit of each response; without one, the check `max_response_time` applies to none. */
  readonly maxResponseTimeMs: number | undefined;
  /** The checks that count. */
  readonly checks: ReadonlySet<CheckName>;
  /** Returns the statuses that valid data may get besides those that the document makes acceptable. */
  readonly expectedStatuses: (operation: ApiOperation) => ReadonlySet<number>;
  /** Returns whether `--shared` names an operation: every user may use it on every resource. */
  readonly isShared: (operation: ApiOperation) => boolean;
  /** Returns the values of `--value` for an operation, by name: of several, another one for another salt. */
  readonly givenValues: (operation: ApiOperation, salt: number) => ReadonlyMap<string, Json>;
  readonly corrections: Corrections;
  readonly hooks: Hooks;
  /** The paths of the resources that the run has deleted. */
  readonly deleted: ReadonlySet<string>;
  /** The causes for which the responses to invalid data that was accepted do not fit their schema. */
  readonly echoes: Set<string>;
  readonly onRequest: (operation: ApiOperation) => void;
  readonly onExchange: Observer;
  readonly onFailure: (failure: Failure) => void;
  /** Ends the run, also in the middle of a request. */
  readonly signal: AbortSignal;
};
