/**
 * The interface for applications. An application's main.ts imports `@contract-first/engine/run`. Tools import
 * `@contract-first/engine/tools`, or `@contract-first/engine/validators`, which does not load the server.
 *
 * @module @contract-first/engine
 */

export { openService, type MountedService } from './process/open-service.ts';
export type { Application, DatabaseConfig, DatabaseDriver, OpenOptions } from './application.ts';
export type { Middleware } from './http/app.ts';
export type { Checker, Credentials } from './auth/credentials.ts';
export type { Settings, SettingsOf } from './settings.ts';
export type { Codec, CodedBody } from './http/read/codecs.ts';
export { importLines } from './import/import-lines.ts';
export {
  HandlerFailure,
  NotImplemented,
  parseJson,
  stringifyJson,
  type FormatCodec,
  type Contract,
  type FailureReplyOf,
  type FailuresOf,
  type Formats,
  type HandlersOf,
  type Matched,
  type ReplyOf,
  type RequestOf,
  type ResourceState,
  type UnmatchedOf,
} from '@contract-first/contract';
export { Counter, Gauge, Histogram } from 'prom-client';
