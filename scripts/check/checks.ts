import {
  headConformance,
  ignoredAuth,
  maxResponseTime,
  missingRequiredHeader,
  negativeDataRejection,
  positiveDataAcceptance,
  unsupportedMethod,
} from './behaviour.ts';
import type { CaseKind } from './case.ts';
import {
  contentTypeConformance,
  notAServerError,
  responseHeadersConformance,
  responseSchemaConformance,
  statusCodeConformance,
  type Check,
  type Exchange,
} from './conformance.ts';

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
  max_response_time: { kinds: ALL, check: maxResponseTime },
  response_schema_conformance: { kinds: ALL, check: responseSchemaConformance },
} satisfies Record<string, { readonly kinds: readonly CaseKind[]; readonly check: Check }>;

/** The name of a check. */
export type CheckName = keyof typeof CHECKS;

/** A failed check with the reason. */
export type Violation = { readonly check: CheckName; readonly message: string };

/** The names of all checks. */
export const CHECK_NAMES = Object.keys(CHECKS) as CheckName[]; // Object.keys loses the type of the keys.

/** Returns the checks that apply to a kind of case. */
export function checksFor(kind: CaseKind): readonly CheckName[] {
  return CHECK_NAMES.filter((name) => (CHECKS[name].kinds as readonly CaseKind[]).includes(kind));
}

/** Runs all applicable checks on a response and returns the failed ones. */
export function violationsIn(exchange: Exchange): readonly Violation[] {
  return checksFor(exchange.testCase.kind).flatMap((check) => {
    const message = CHECKS[check].check(exchange);
    return message === undefined ? [] : [{ check, message }];
  });
}
