import {
  headConformance,
  ignoredAuth,
  maxResponseTime,
  missingRequiredHeader,
  negativeDataRejection,
  positiveDataAcceptance,
  unsupportedMethod,
} from './behaviour.ts';
import { TimeLimitExceeded } from '@contract-first/contract';
import { describeBug } from '../terminal/describe-bug.ts';
import { CannotCheck } from '../values/oracle.ts';
import type { CaseKind } from './case.ts';
import {
  contentTypeConformance,
  maxResponseSize,
  notAServerError,
  responseHeadersConformance,
  responseSchemaConformance,
  statusCodeConformance,
  type Check,
  type Exchange,
} from './conformance.ts';
import { visibleText } from './visible-text.ts';

// The kinds of requests whose responses the document describes.
const DOCUMENTED: readonly CaseKind[] = [
  ...(['positive', 'negative', 'undecided', 'missing header', 'no authentication', 'header fields only'] as const),
];
const ALL: readonly CaseKind[] = [...DOCUMENTED, 'unsupported method', 'unknown path'];

// The names of the checks are those of Schemathesis, which has none for HEAD.
const CHECKS = {
  not_a_server_error: { kinds: ALL, check: notAServerError },
  ignored_auth: { kinds: ['no authentication'], check: ignoredAuth },
  unsupported_method: { kinds: ['unsupported method'], check: unsupportedMethod },
  missing_required_header: { kinds: ['missing header'], check: missingRequiredHeader },
  negative_data_rejection: { kinds: ['negative'], check: negativeDataRejection },
  positive_data_acceptance: { kinds: ['positive'], check: positiveDataAcceptance },
  head_conformance: { kinds: ['header fields only'], check: headConformance },
  status_code_conformance: { kinds: DOCUMENTED, check: statusCodeConformance },
  content_type_conformance: { kinds: ALL, check: contentTypeConformance },
  response_headers_conformance: { kinds: DOCUMENTED, check: responseHeadersConformance },
  max_response_size: { kinds: ALL, check: maxResponseSize },
  max_response_time: { kinds: ALL, check: maxResponseTime },
  response_schema_conformance: { kinds: ALL, check: responseSchemaConformance },
} satisfies Record<string, { readonly kinds: readonly CaseKind[]; readonly check: Check }>;

// These judge sequences of requests.
const STATE_CHECKS = [
  ...(['ensure_resource_availability', 'read_your_writes', 'list_contains_created', 'update_is_visible'] as const),
  ...(['put_is_idempotent', 'conditional_requests', 'idempotency_key', 'use_after_free'] as const),
  'delete_is_idempotent',
] as const;

/** The name of a check of one response. */
export type ResponseCheckName = keyof typeof CHECKS;

/** The name of a check of a sequence of requests. */
export type StateCheckName = (typeof STATE_CHECKS)[number];

/** The name of a check. */
export type CheckName = ResponseCheckName | StateCheckName;

/** A failed check with the reason. */
export type Violation = { readonly check: CheckName; readonly message: string };

const RESPONSE_CHECKS = Object.keys(CHECKS) as ResponseCheckName[]; // Object.keys loses the type of the keys.

/** The names of all checks. */
export const CHECK_NAMES: readonly CheckName[] = [...RESPONSE_CHECKS, ...STATE_CHECKS];

/** Returns whether a check judges sequences of requests. */
export function isStateCheck(check: CheckName): boolean {
  return (STATE_CHECKS as readonly CheckName[]).includes(check);
}

/** Returns the checks that apply to a kind of case. */
export function checksFor(kind: CaseKind): readonly ResponseCheckName[] {
  return RESPONSE_CHECKS.filter((name) => (CHECKS[name].kinds as readonly CaseKind[]).includes(kind));
}

/** Runs all applicable checks on a response and returns the failed ones. */
export function violationsIn(exchange: Exchange): readonly Violation[] {
  return checksFor(exchange.testCase.kind).flatMap((check) => {
    const message = judge(check, exchange);
    return message === undefined ? [] : [violationOf(check, message)];
  });
}

/** Returns a violation whose message can be printed and kept. */
export function violationOf(check: CheckName, message: string): Violation {
  return { check, message: visibleText(message) };
}

function judge(check: ResponseCheckName, exchange: Exchange): string | undefined {
  try {
    return CHECKS[check].check(exchange);
  } catch (error) {
    if (error instanceof CannotCheck) throw error;
    return error instanceof TimeLimitExceeded ? `not judged: this ${error.message}` : describeBug(error);
  }
}
