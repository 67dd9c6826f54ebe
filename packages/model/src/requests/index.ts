/**
 * HTTP requests: connections, credentials, curl lines, and the redaction of secrets.
 *
 * @module @contract-first/model/requests
 */

export { createAgent, protocolProblem, requestTo } from './agents.ts';
export {
  type Connection,
  type MayWait,
  NoResponse,
  openConnection,
  SAFE_METHODS,
  TIME_OUT,
  TIMEOUT_MS,
  UNAVAILABLE,
} from './connection.ts';
export {
  authorizationScheme,
  coveredRequirements,
  credentialsFor,
  isInAuthorization,
  isProtected,
  needsUser,
  type Tokens,
} from './credentials.ts';
export { endToEndHeaders } from './end-to-end-headers.ts';
export { curlLine, quoteShell, splitVariables } from './curl-line.ts';
export { GrowingBytes } from './connection.ts';
export {
  isSupportedStyle,
  percentEncode,
  readingsOf,
  readingsOfHeader,
  readingsOfParameter,
  writeParameter,
} from './parameter-text.ts';
export { type HarEntry, readHar } from './har-file.ts';
export type { RecordedExchange } from './recorded-exchange.ts';
export { createRedactor, type Redactor } from './redactor.ts';
export { createSecretSearch } from './secrets.ts';
export {
  headerPairs,
  pathValue,
  type RequestInput,
  type WireRequest,
  withMember,
  writeRequest,
} from './wire-request.ts';
export {
  type Excerpt,
  EXCERPT_BYTES,
  excerptOf,
  toKeptResponse,
  type KeptResponse,
  type WireResponse,
} from './wire-response.ts';
