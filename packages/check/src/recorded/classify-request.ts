import type { Oracle } from '@contract-first/model/values';
import type { ApiOperation, Parameter } from '@contract-first/model/operations';
import { type CaseKind, classify } from '@contract-first/model/cases';
import type { RequestInput } from '@contract-first/model/requests';
import { propertyNamesOf, readSentParameters, type SentParameters } from '../coverage/sent-parameters.ts';
import { readBody } from './read-body.ts';
import { readParameter } from './read-parameter.ts';
import type { RecordedExchange } from './recorded-exchange.ts';

/** Whether the document allows a request. */
export type Classification = {
  readonly kind: Extract<CaseKind, 'positive' | 'negative' | 'missing header' | 'undecided'>;
  /** The fault of an invalid request. */
  readonly description: string;
  /** Describes all such faults, without values; by default, the description. */
  readonly group?: string | undefined;
  /** The values of a valid request. */
  readonly input: RequestInput | undefined;
};

// Archives may lack these.
const OFTEN_REMOVED = /^(?:header (?:authorization|cookie)|cookie .*)$/i;

/**
 * Decides whether the document allows a recorded request. It is undecided where that depends on how a server reads it, or
 * where the recording lacks a part of it.
 *
 * @param path the path template that the request fits
 */
export function classifyRequest(
  operation: ApiOperation,
  path: string,
  oracle: Oracle,
  { request, hasAllHeaders, isRequestComplete }: RecordedExchange,
): Classification {
  if (!isRequestComplete) return { ...UNDECIDED, description: 'recorded in part' };
  // A plus sign in a query may stand for a space.
  const targets = new Set([request.target, request.target.replaceAll('+', '%20')]);
  const alternatives = [...targets].map((target) => readSentParameters({ path }, { ...request, target }));
  const readings = operation.parameters.map((parameter) => {
    return { parameter, name: `${parameter.in} ${parameter.name}`, ...readParameter(parameter, oracle, alternatives) };
  });
  const body = readBody(operation, oracle, request);
  const missing = readings.filter(
    ({ parameter, verdict }) => parameter.required && !parameter.hasDefault && verdict === 'left out',
  );
  const invalid = readings.find(({ verdict }) => verdict === 'invalid');
  if (invalid !== undefined) return faulty('negative', `${invalid.name} does not match its schema`);
  if (body.verdict === 'invalid') return faulty('negative', body.fault, body.group);
  const removable = missing.filter(({ name }) => !hasAllHeaders && OFTEN_REMOVED.test(name));
  const [first] = missing.filter((one) => !removable.includes(one));
  if (first !== undefined)
    return faulty(
      first.parameter.in === 'header' ? 'missing header' : 'negative',
      `no ${first.name}`,
      'without a required parameter',
    );
  const isUnclear = body.verdict === 'unclear' || readings.some(({ verdict }) => verdict === 'unclear');
  if (isUnclear || removable.length > 0 || hasUnknownQuery(operation, oracle, alternatives)) return UNDECIDED;
  const parameters = readings.flatMap(({ parameter, ...reading }) =>
    reading.verdict === 'valid' ? [{ parameter, value: reading.value }] : [],
  );
  const input: RequestInput = { parameters, body: body.body };
  return classify(operation, oracle, input) === 'positive'
    ? { kind: 'positive', description: 'positive', input }
    : UNDECIDED;
}

/** The classification of a request that servers read differently. */
export const UNDECIDED: Classification = {
  kind: 'undecided',
  description: 'servers may read it differently',
  input: undefined,
};

function faulty(kind: 'negative' | 'missing header', description: string, group?: string): Classification {
  return { kind, description, group, input: undefined };
}

/** Whether a query has a name that the document does not have: a server may refuse it. */
function hasUnknownQuery(
  { parameters, security }: ApiOperation,
  oracle: Oracle,
  [sent]: readonly SentParameters[],
): boolean {
  const own = parameters.filter((parameter) => parameter.in === 'query');
  const keys = security.flat().flatMap((scheme) => (scheme.in === 'query' ? (scheme.name ?? []) : []));
  const known = new Set(['', ...keys, ...own.flatMap((parameter) => namesOf(parameter, oracle))]);
  return sent?.query.some(([name]) => !known.has(name)) === true;
}

/** Lists the names of a parameter in a query. */
function namesOf({ name, schema, style }: Parameter, oracle: Oracle): readonly string[] {
  const properties = propertyNamesOf(oracle.schemas, schema);
  return style === 'deepObject' ? properties.map((property) => `${name}[${property}]`) : [name, ...properties];
}
