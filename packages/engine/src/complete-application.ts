import { isWithoutCredentials, type AuthSettings } from './auth/auth-settings.ts';
import {
  type AnyFormats,
  bodyLimitOf,
  type Contract,
  findSchemes,
  idempotencyKeyOf,
  isUpload,
  listCodecs,
  mayHaveCodec,
} from '@contract-first/contract';
import { mountsOf } from './http/mounts.ts';

/** The application lacks parts that the contract requires. */
export class IncompleteApplication extends Error {}

/**
 * Checks that the limits of operations fit into the memory for bodies. Uploads are exempt.
 *
 * @throws {IncompleteApplication} with the smallest sufficient setting
 */
export function assertBodiesFit({ operations }: Contract, bodyLimitBytes: number, memoryLimitBytes: number): void {
  for (const operation of Object.values(operations)) {
    const content = Object.entries(operation.requestBody?.content ?? {});
    if (content.every(([mediaType, body]) => isUpload(mediaType, body))) continue;
    const limitBytes = bodyLimitOf(operation, bodyLimitBytes);
    if (limitBytes <= Math.max(bodyLimitBytes, memoryLimitBytes)) continue;
    throw new IncompleteApplication(
      `BODY_MEMORY_LIMIT_BYTES must be at least ${String(limitBytes)}, which ${operation.operationId} may receive`,
    );
  }
}

/**
 * Checks that no two documents are served below the same path.
 *
 * @throws {IncompleteApplication} with the path
 */
export function assertDistinct(contracts: readonly Contract[]): void {
  const places = contracts.flatMap((contract) => mountsOf(contract).map((path) => ({ path, info: contract.info })));
  for (const [path, documents] of Map.groupBy(places, (place) => place.path)) {
    if (documents.length === 1) continue;
    const names = documents.map(({ info }) => `${info.title} ${info.version}`).join(' and ');
    throw new IncompleteApplication(
      `${names} are served below the same path, ${path || '/'}: write a path of its own in the servers of each document`,
    );
  }
}

/**
 * Checks that an application has the codecs that its contract was generated for.
 *
 * @param codecs by media type
 * @throws {IncompleteApplication} with the names of codecs that are missing, superfluous or for built-in media types
 */
export function assertCodecs({ operations }: Contract, codecs: object): void {
  const needed = listCodecs(operations);
  const names = Object.keys(codecs);
  const problems = {
    'there can be no codec for': names.filter((name) => !mayHaveCodec(name)),
    'generated/contract.json has no body for the codec of': names.filter(
      (name) => mayHaveCodec(name) && !needed.has(name),
    ),
    'no codec for': [...needed].filter((name) => !Object.hasOwn(codecs, name)),
  };
  assertNone(
    problems,
    'pass codecs with the application; their names in codecs.ts, which npm run generate reads, are media types of the document, not JSON, forms, sequences or ranges',
  );
}

/** Checks that no problem has names. @throws {IncompleteApplication} with the names of each problem and advice */
function assertNone(problems: Readonly<Record<string, readonly string[]>>, advice: string): void {
  const found = Object.entries(problems).filter(([, names]) => names.length > 0);
  if (found.length === 0) return;
  const texts = found.map(([problem, names]) => `${problem} ${names.join(', ')}`);
  throw new IncompleteApplication(`${texts.join('; ')}: ${advice}`);
}

/**
 * Checks that an application has the formats that its contract was generated for.
 *
 * @throws {IncompleteApplication} with the names of the missing formats
 */
export function assertFormats(contract: Contract, formats: AnyFormats = {}): void {
  const missing = (contract.formats?.names ?? []).filter((name) => !Object.hasOwn(formats, name));
  assertNone({ 'no codec for the formats': missing }, 'pass formats with the application');
}

/** The parts of an application; all but `once` by name. */
type Parts = Readonly<Record<'failures' | 'handlers' | 'checkers', object>> & { readonly once: unknown };

/**
 * Checks that an application has a handler for each operation, a checker for each security scheme that the engine does
 * not support, a function for each error body, and `once` for operations with an idempotency key, and that credentials
 * are configured for the schemes that the engine checks.
 *
 * @throws {IncompleteApplication} with the names of the missing parts
 */
export function assertComplete(
  contract: Contract,
  { failures, handlers, checkers, once }: Parts,
  auth: AuthSettings,
): void {
  const { operations } = contract;
  const { tokens, unchecked = [] } = findSchemes(contract, checkers);
  if (tokens !== undefined && isWithoutCredentials(auth))
    throw new IncompleteApplication(
      'no credentials configured: with NODE_ENV=production, set API_TOKENS, API_TOKENS_FILE or JWT_ISSUER',
    );
  const all = Object.values(operations);
  const keyed = all.filter((operation) => once === undefined && idempotencyKeyOf(operation) !== undefined);
  const bodies = all.flatMap(({ responses }) => Object.values(responses).flatMap(({ failure }) => failure ?? []));
  const missing = {
    'no handler for': Object.keys(operations).filter((operationId) => !Object.hasOwn(handlers, operationId)),
    'no checker for the security scheme': unchecked,
    'no function for the failures': [...new Set(bodies)].filter((name) => !Object.hasOwn(failures, name)),
    'no function `once` for the header Idempotency-Key of': keyed.map((operation) => operation.operationId),
  };
  assertNone(missing, 'NODE_ENV=production needs all of them');
}
