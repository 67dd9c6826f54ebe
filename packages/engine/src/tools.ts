// Exports for tools and benchmarks. They may change in any version.

export { addCors, type HeaderField } from './http/accept/cors.ts';
export { createLenientCheckers, hasCredentials } from './auth/lenient-checkers.ts';
export type { Credentials } from './auth/credentials.ts';
export { startService } from './create-service.ts';
export type { DocumentText } from './docs/docs.ts';
export type { FailureHeaders, RenderFailure } from './http/reply/failure-response.ts';
export type { AnyHandler } from './http/handle/call-handler.ts';
export { onDisconnect } from './http/accept/disconnect.ts';
export { mountsOf } from './http/mounts.ts';
export { startSilently } from './start-silently.ts';
export type { Once } from './http/handle/idempotency.ts';
export { operationUrl, type LinkParameters } from './http/handle/operation-url.ts';
export { createConversions } from './http/read/codecs.ts';
export { toResponse, type AnyReply } from './http/reply/response.ts';
export type { ValidRequest } from './http/handle/validate-request.ts';
export { exampleCurl } from './process/example-curl.ts';
export { readCommandConfig, readConfig } from './process/config.ts';
export { readEnvFile } from './process/env-file.ts';
export { createErrorLog, createSilentLog } from './process/log.ts';
export { runApplications } from './process/run.ts';
