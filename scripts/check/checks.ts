import {
  ignoredAuth,
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

/** The names of the checks, which are those of Schemathesis. */
export type CheckName =
  | 'not_a_server_error'
  | 'status_code_conformance'
  | 'content_type_conformance'
  | 'response_headers_conformance'
  | 'response_schema_conformance'
  | 'negative_data_rejection'
  | 'positive_data_acceptance'
  | 'missing_required_header'
  | 'unsupported_method'
  | 'ignored_auth';

/** A failed check with the reason. */
export type Violation = { readonly check: CheckName; readonly message: string };

// The kinds of requests whose responses the document describes.
const DOCUMENTED: readonly CaseKind[] = ['positive', 'negative', 'missing header', 'no authentication'];
const ALL: readonly CaseKind[] = [...DOCUMENTED, 'unsupported method'];

const CHECKS: Readonly<Record<CheckName, { readonly kinds: readonly CaseKind[]; readonly check: Check }>> = {
  not_a_server_error: { kinds: ALL, check: notAServerError },
  ignored_auth: { kinds: ['no authentication'], check: ignoredAuth },
  unsupported_method: { kinds: ['unsupported method'], check: unsupportedMethod },
  missing_required_header: { kinds: ['missing header'], check: missingRequiredHeader },
  negative_data_rejection: { kinds: ['negative'], check: negativeDataRejection },
  positive_data_acceptance: { kinds: ['positive'], check: positiveDataAcceptance },
  status_code_conformance: { kinds: DOCUMENTED, check: statusCodeConformance },
  content_type_conformance: { kinds: DOCUMENTED, check: contentTypeConformance },
  response_headers_conformance: { kinds: DOCUMENTED, check: responseHeadersConformance },
  response_schema_conformance: { kinds: DOCUMENTED, check: responseSchemaConformance },
};

/** The names of all checks. */
export const CHECK_NAMES = Object.keys(CHECKS) as CheckName[]; // Object.keys loses the type of the keys.

/** Returns the checks that apply to a kind of case. */
export function checksFor(kind: CaseKind): readonly CheckName[] {
  return CHECK_NAMES.filter((name) => CHECKS[name].kinds.includes(kind));
}

/** Runs all applicable checks on a response and returns the failed ones. */
export function violationsIn(exchange: Exchange): readonly Violation[] {
  return checksFor(exchange.testCase.kind).flatMap((check) => {
    const message = CHECKS[check].check(exchange);
    return message === undefined ? [] : [{ check, message }];
  });
}
