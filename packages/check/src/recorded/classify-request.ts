import { type JsonTree, kindOf, matchMediaType, parseJsonTree } from '@contract-first/contract';
import { type CaseKind, classify } from '@contract-first/model/cases';
import { type ApiOperation, type BodyContent, encodingOf, type ApiParameter } from '@contract-first/model/operations';
import { readingsOf, type RequestInput, type WireRequest } from '@contract-first/model/requests';
import {
  mergeAllOf,
  fromJsonTree,
  isArray,
  isObject,
  type Json,
  membersOf,
  type Oracle,
} from '@contract-first/model/values';
import { propertyNamesOf, readSentParameters, type SentParameters } from '../coverage/sent-parameters.ts';
import { findRepeatedMember, headerOf } from '../judgement/conformance.ts';
import { readParameter } from './read-parameter.ts';
import type { RecordedExchange } from '@contract-first/model/requests';

/** Describes whether the document allows a request. */
export type Classification = {
  readonly kind: Extract<CaseKind, 'positive' | 'negative' | 'missing header' | 'undecided'>;
  /** The fault of an invalid request. */
  readonly description: string;
  /** Describes the kind of fault, without values; defaults to the description. */
  readonly group?: string | undefined;
  /** The values of a valid request. */
  readonly input: RequestInput | undefined;
};

// Parameters that archives often omit.
const OFTEN_REMOVED = /^(?:header (?:authorization|cookie)|cookie .*)$/i;

/**
 * Decides whether the document allows a recorded request. The result is undecided if it depends on how a server parses
 * the request, or if the recording is incomplete.
 *
 * @param path the path template that matches the request
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

/** The classification of a request that servers may parse differently. */
export const UNDECIDED: Classification = {
  kind: 'undecided',
  description: 'servers may parse it differently',
  input: undefined,
};

function faulty(kind: 'negative' | 'missing header', description: string, group?: string): Classification {
  return { kind, description, group, input: undefined };
}

/** Returns whether a query has an undocumented name, which a server may reject. */
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

/** Lists the names that a parameter may have in a query. */
function namesOf({ name, schema, style }: ApiParameter, oracle: Oracle): readonly string[] {
  const properties = propertyNamesOf(oracle.schemas, schema);
  return style === 'deepObject' ? properties.map((property) => `${name}[${property}]`) : [name, ...properties];
}

/** The result of parsing a request body. */
type BodyReading =
  | { readonly verdict: 'valid'; readonly body: RequestInput['body'] }
  | ({ readonly verdict: 'invalid' } & BodyFault)
  | { readonly verdict: 'unclear' };

type BodyFault = {
  readonly fault: string;
  /** Describes the kind of fault, without values. */
  readonly group: string;
};

const UNCLEAR: BodyReading = { verdict: 'unclear' };

/** Parses a request body. Returns `invalid` only if no server could parse a valid body. */
function readBody({ requestBody }: ApiOperation, oracle: Oracle, request: WireRequest): BodyReading {
  const { required = false, contents = [] } = requestBody ?? {};
  const headers = request.headers.map(([name, value]) => [name.toLowerCase(), value] as const);
  const contentType = headerOf({ headers }, 'content-type');
  if (request.body === undefined || request.body.length === 0) {
    if (!required) return { verdict: 'valid', body: undefined };
    const isJson = contents.length > 0 && contents.every((content) => encodingOf(content) === 'json');
    return isJson ? invalid('no body', 'without a body') : UNCLEAR; // Other empty bodies may be valid.
  }
  if (contents.length === 0 || contentType === undefined || headerOf({ headers }, 'content-encoding') !== undefined)
    return UNCLEAR;
  const match = matchMediaType(
    contentType,
    contents.map(({ mediaType }) => mediaType),
  );
  const content = contents.find(({ mediaType }) => mediaType === match);
  if (content === undefined) return invalid(`a body of ${contentType}`, 'sent as another media type');
  // JSON in a range may be a value or a file.
  if (kindOf(content.mediaType) === 'binary' && kindOf(contentType) === 'json') return UNCLEAR;
  if (/charset *= *"?(?!utf-?8)/i.test(contentType)) return UNCLEAR;
  switch (encodingOf(content)) {
    case 'json':
      return readJson(content, oracle, request.body);
    case 'text':
      return readText(content, oracle, request.body.toString());
    case 'form':
      return readForm(content, oracle, request.body.toString());
    case 'binary':
      return { verdict: 'valid', body: { content, value: request.body.toString('latin1') } };
    case 'multipart': // The encoding of parts varies.
    case undefined:
      return UNCLEAR;
  }
}

function invalid(fault: string, group = fault): BodyReading {
  return { verdict: 'invalid', fault, group };
}

function readJson(content: BodyContent, oracle: Oracle, bytes: Buffer): BodyReading {
  const { schema } = content;
  let text: string;
  let tree: JsonTree;
  try {
    text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return UNCLEAR; // The body may have another encoding.
  }
  if (text.startsWith('\uFEFF')) return UNCLEAR;
  try {
    tree = parseJsonTree(text);
  } catch {
    return invalid('a body that is not JSON', 'malformed JSON');
  }
  const value = fromJsonTree(tree);
  // Clients may send back read-only properties, and servers may ignore them (OpenAPI 3.1, 4.8.24.5).
  if (findRepeatedMember(text) !== undefined || hasMember(value, oracle.schemas.removed)) return UNCLEAR;
  const violation = oracle.violation(schema, tree);
  if (violation === undefined) return { verdict: 'valid', body: { content, value } };
  const { path, keyword, message } = violation;
  return oracle.mayAllow(schema, value) ? UNCLEAR : invalid(`body${path} ${message}`, keyword);
}

function readText(content: BodyContent, oracle: Oracle, text: string): BodyReading {
  if (oracle.allows(content.schema, text)) return { verdict: 'valid', body: { content, value: text } };
  const isPossible = readingsOf(text).some((reading) => oracle.allows(content.schema, reading));
  return isPossible ? UNCLEAR : invalid('a text that its schema does not allow');
}

/** Parses a form. Returns `invalid` only if a required field is missing, since servers parse values differently. */
function readForm(content: BodyContent, oracle: Oracle, text: string): BodyReading {
  const { schema } = content;
  const names = [...new URLSearchParams(text).keys()];
  const flat = schema === undefined ? true : mergeAllOf(oracle.schemas, schema);
  const { required = [] } = Object(flat) as { readonly required?: readonly string[] }; // Validated document.
  const missing = required.find((name) => !names.some((other) => other.split(/[.[]/, 1)[0] === name || other === name));
  return missing === undefined ? UNCLEAR : invalid(`a form without ${missing}`, 'a form without a required field');
}

/** Returns whether a value has a member with one of the names, at any depth. */
function hasMember(value: Json, names: ReadonlySet<string>): boolean {
  if (names.size === 0 || !(isArray(value) || isObject(value))) return false;
  return membersOf(value).some(([name, member]) => names.has(String(name)) || hasMember(member, names));
}
