import { describeBug } from '@contract-first/command-line/terminal';
import { escapeToLine, TimeLimitExceeded } from '@contract-first/contract';
import { type CaseKind, NOT_OF_OPERATION } from '@contract-first/model/cases';
import { CannotCheck } from '@contract-first/model/values';
import {
  headConformance,
  ignoredAuth,
  maxResponseTime,
  missingRequiredHeader,
  negativeDataRejection,
  notAServerError,
  positiveDataAcceptance,
  unsupportedMethod,
} from './behaviour.ts';
import {
  type ConformanceCheck,
  contentTypeConformance,
  documentedRejection,
  type JudgedExchange,
  maxResponseSize,
  responseHeadersConformance,
  responseSchemaConformance,
  statusCodeConformance,
} from './conformance.ts';
import { type Category, type Defect, defectOf } from './defect.ts';

// The kinds of cases whose responses the document describes.
const DOCUMENTED: readonly CaseKind[] = [
  ...(['positive', 'negative', 'undecided', 'missing header', 'no authentication', 'header fields only'] as const),
];
const FAULTY: readonly CaseKind[] = ['negative', 'undecided', 'missing header', 'no authentication'];
const ALL: readonly CaseKind[] = [...DOCUMENTED, 'unsupported method', 'unknown path', 'other user'];

const MAX_CHARS = 2_000;

// Checks that Schemathesis has, too, have the same names.
const CHECKS = {
  not_a_server_error: { category: 'server error', kinds: ALL, check: notAServerError },
  ignored_auth: { category: 'security', kinds: ['no authentication'], check: ignoredAuth },
  unsupported_method: { category: 'protocol', kinds: ['unsupported method'], check: unsupportedMethod },
  missing_required_header: { category: 'validation', kinds: ['missing header'], check: missingRequiredHeader },
  negative_data_rejection: { category: 'validation', kinds: ['negative'], check: negativeDataRejection },
  positive_data_acceptance: { category: 'validation', kinds: ['positive'], check: positiveDataAcceptance },
  head_conformance: { category: 'protocol', kinds: ['header fields only'], check: headConformance },
  status_code_conformance: { category: 'documentation', kinds: DOCUMENTED, check: statusCodeConformance },
  documented_rejection: { category: 'documentation', kinds: FAULTY, check: documentedRejection },
  content_type_conformance: { category: 'documentation', kinds: DOCUMENTED, check: contentTypeConformance },
  response_headers_conformance: { category: 'documentation', kinds: DOCUMENTED, check: responseHeadersConformance },
  max_response_size: { category: 'documentation', kinds: ALL, check: maxResponseSize },
  max_response_time: { category: 'documentation', kinds: ALL, check: maxResponseTime },
  response_schema_conformance: { category: 'documentation', kinds: DOCUMENTED, check: responseSchemaConformance },
} satisfies Record<
  string,
  { readonly category: Category; readonly kinds: readonly CaseKind[]; readonly check: ConformanceCheck }
>;

// Checks of request sequences.
const STATE_CHECKS = [
  ...(['ensure_resource_availability', 'read_your_writes', 'list_contains_created', 'update_is_visible'] as const),
  ...(['put_is_idempotent', 'conditional_requests', 'idempotency_key', 'use_after_free'] as const),
  ...(['delete_is_idempotent', 'read_only_members', 'object_level_authorization'] as const),
  ...(['list_filters', 'action_effects'] as const),
] as const;

/** The name of a check of a single response. */
export type ResponseCheckName = keyof typeof CHECKS;

/** The name of a check of a request sequence. */
export type StateCheckName = (typeof STATE_CHECKS)[number];

// Failures that the hook afterResponse reports.
const OWN_CHECK = 'own_check';

/** The name of a check. */
export type CheckName = ResponseCheckName | StateCheckName | typeof OWN_CHECK;

/** A failed check with the reason. */
export type FailedCheck = Required<Defect> & { readonly check: CheckName };

const RESPONSE_CHECKS = Object.keys(CHECKS) as ResponseCheckName[]; // Object.keys loses the type of the keys.

/** The names of all checks. */
export const CHECK_NAMES: readonly CheckName[] = [...RESPONSE_CHECKS, ...STATE_CHECKS, OWN_CHECK];

/** Sets of checks. Only `strict` requires that the document describes every rejection. */
export const PROFILES: Readonly<Record<'default' | 'strict' | 'protocol', readonly CheckName[]>> = {
  default: CHECK_NAMES.filter((check) => check !== 'documented_rejection'),
  strict: CHECK_NAMES,
  protocol: CHECK_NAMES.filter((check) => categoryOf(check) === 'protocol'),
};

/** Returns whether a check judges request sequences. */
export function isStateCheck(check: CheckName): boolean {
  return (STATE_CHECKS as readonly CheckName[]).includes(check);
}

/** Returns the checks that apply to a kind of case. */
export function checksFor(kind: CaseKind): readonly ResponseCheckName[] {
  return RESPONSE_CHECKS.filter((name) => (CHECKS[name].kinds as readonly CaseKind[]).includes(kind));
}

/** Runs all applicable checks on a response and returns the failed checks. */
export function violationsIn(exchange: JudgedExchange): readonly FailedCheck[] {
  if (exchange.response.isAfterLoss === true) return []; // The crash before the 503 has been reported.
  const { kind, usual } = exchange.testCase;
  const isProtocol = exchange.response.status < 500 && (usual !== undefined || NOT_OF_OPERATION.includes(kind));
  return checksFor(kind).flatMap((check) => {
    const defect = judge(check, exchange);
    return defect === undefined ? [] : [violationOf(check, isProtocol ? { ...defect, category: 'protocol' } : defect)];
  });
}

/** For each check, the checks that fail as a consequence for the same response. */
const CONSEQUENCES: Partial<Readonly<Record<CheckName, readonly CheckName[]>>> = {
  not_a_server_error: [
    ...(['status_code_conformance', 'content_type_conformance'] as const),
    ...(['response_headers_conformance', 'response_schema_conformance', 'ignored_auth'] as const),
  ],
  positive_data_acceptance: ['status_code_conformance'],
  // Responses return the invalid data that the server accepted.
  negative_data_rejection: ['response_schema_conformance', 'status_code_conformance'],
};

/** Removes violations that follow from another violation. For example, a 5xx need not be documented. */
export function withoutConsequences(violations: readonly FailedCheck[]): readonly FailedCheck[] {
  const following = new Set(violations.flatMap(({ check }) => CONSEQUENCES[check] ?? []));
  return violations.filter(({ check }) => !following.has(check));
}

/** Returns a key for the failures of an operation that have the same fix. */
export function keyOf({ check, cause }: Pick<FailedCheck, 'check' | 'cause'>): string {
  return `${check}: ${cause}`;
}

/** A failed check of an operation. */
export type OperationViolation = Pick<FailedCheck, 'check' | 'cause'> & { readonly operationId: string };

/** Returns whether two failures have the same cause. A sequence has at most one failure per check. */
export function isSameFailure(one: OperationViolation, other: OperationViolation): boolean {
  const isSameCheck = one.operationId === other.operationId && one.check === other.check;
  return isSameCheck && (isStateCheck(one.check) || one.cause === other.cause);
}

/** Creates a violation whose texts are escaped and limited in length. */
export function violationOf(check: CheckName, defect: Defect): FailedCheck {
  const { message, cause, category = categoryOf(check), circumstances = [] } = defect;
  return { check, category, cause: visibleText(cause), message: visibleText(message), circumstances };
}

/** Returns a text as one line with escaped control characters. Truncates a long text. */
function visibleText(text: string): string {
  if (text.length <= MAX_CHARS) return escapeToLine(text);
  const beginning = Buffer.from(text.slice(0, MAX_CHARS)).toString(); // A slice would retain the whole text.
  return `${escapeToLine(beginning)}… (${String(text.length)} characters)`;
}

function categoryOf(check: CheckName): Category {
  if (check === 'object_level_authorization' || check === 'read_only_members') return 'security';
  return check in CHECKS ? CHECKS[check as ResponseCheckName].category : 'data'; // `in` does not narrow the type.
}

function judge(check: ResponseCheckName, exchange: JudgedExchange): Defect | undefined {
  try {
    return CHECKS[check].check(exchange);
  } catch (error) {
    if (error instanceof CannotCheck) throw error;
    return defectOf(error instanceof TimeLimitExceeded ? `not judged: this ${error.message}` : describeBug(error));
  }
}
