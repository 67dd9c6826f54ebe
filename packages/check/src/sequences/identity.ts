import { parameterNames, stringifyJson } from '@contract-first/contract';
import { decode } from '@contract-first/documents';
import { type ApiOperation, pathPattern, type ResponseLink } from '@contract-first/model/operations';
import { readingsOf } from '@contract-first/model/requests';
import {
  identityPlace,
  idText,
  memberNames,
  sentIdentity,
  targetsOperation,
  type ItemPath,
  shapeOf,
} from '@contract-first/model/resources';
import { evaluateExpression, evaluateWithin, isScalar, type Json, partAt } from '@contract-first/model/values';
import { headerOf } from '../judgement/conformance.ts';
import type { Run } from '../run/run.ts';
import { hasSameSchema } from './followed-paths.ts';
import { expressionSourceOf, type SequenceStep } from './sequence-step.ts';

const MAX_SENT_CHARS = 16_384;
/** A resource that a response identifies, by the ordered values of its path parameters. */
export type ResourceIdentity = {
  readonly source: string;
  readonly values: readonly Json[];
  /** Whether the document does not describe the member, so that only a read can show that the member is the id. */
  readonly isUndeclared?: boolean;
};

/**
 * Returns the identities of a created resource. They come from the links, the `Location` or the members of the
 * response, or from the path of the request. Sources may agree or contradict each other.
 */
export function identitiesIn(
  step: SequenceStep,
  item: ItemPath,
  run: Run,
  operations: readonly ApiOperation[],
): ResourceIdentity[] {
  const { operation, testCase } = step;
  const own = sentPathValues(step);
  if (shapeOf(operation.path) === shapeOf(item.path)) return [{ source: 'the path', values: own }];
  const outer = own.slice(0, parameterNames(item.path).length - 1);
  const told = [fromLinks(step, item, operations), fromLocation(step, item, run)].filter((one) => one !== undefined);
  // A POST below another resource may create a resource of another kind.
  const isUnsure = own.length > outer.length && !(item.read && hasSameSchema(operation, item.read));
  // A member is only used without a link and Location, since its name is less reliable.
  const found = told.length > 0 || isUnsure ? told : fromMembers(step, item, run, outer);
  const parameter = item.read?.parameters.find((one) => one.in === 'path' && one.name === item.parameter);
  const isAllowed = (last: Json | undefined): boolean =>
    last !== undefined &&
    isScalar(last) &&
    (!parameter || [last, idText(last)].some((reading) => run.requestOracle.allows(parameter.schema, reading)));
  const isWhole = ({ values }: ResourceIdentity): boolean => values.length === parameterNames(item.path).length;
  const whole = found.filter(isWhole);
  return testCase.input === undefined ? [] : whole.filter(({ values }) => isAllowed(values.at(-1)));
}

/**
 * Reads the identity from the declared member of the response, or else from the member of the request that sets it, or
 * else from an undeclared member of the response.
 */
function fromMembers(
  { operation, json = null, testCase }: SequenceStep,
  item: ItemPath,
  run: Run,
  outer: readonly Json[],
): readonly ResourceIdentity[] {
  const identify = (source: string, value: Json): readonly ResourceIdentity[] =>
    value === null ? [] : [{ source, values: [...outer, value] }];
  const place = identityPlace(operation, item, run);
  if (place !== undefined) return identify(`the member ${place.join('.')}`, partAt(json, place));
  const sent = sentIdentity(operation, item, run);
  if (sent !== undefined)
    return identify(`the member ${sent} of the request`, partAt(testCase.input?.body?.value ?? null, [sent]));
  const undeclared = memberNames(item).flatMap((name) =>
    identify(`the undeclared member ${name}`, partAt(json, [name])),
  );
  return undeclared.slice(0, 1).map((identity) => ({ ...identity, isUndeclared: true }));
}

/** Returns whether a response value is too long to be sent in a request. */
export function isLong(value: Json): boolean {
  return stringifyJson(value).length > MAX_SENT_CHARS;
}

/** Returns whether two identities refer to the same resource. */
export function isSameResource(one: readonly Json[], other: readonly Json[]): boolean {
  return one.length === other.length && one.every((id, index) => idText(id) === idText(other[index]));
}

/** Returns the path parameter values of a request, in path order. */
function sentPathValues({ operation, testCase }: SequenceStep): readonly Json[] {
  const sent = testCase.input?.parameters ?? [];
  return parameterNames(operation.path).flatMap(
    (name) => sent.find(({ parameter }) => parameter.in === 'path' && parameter.name === name)?.value ?? [],
  );
}

/** Evaluates the first link to an operation on the resource's path. */
function fromLinks(
  step: SequenceStep,
  item: ItemPath,
  operations: readonly ApiOperation[],
): ResourceIdentity | undefined {
  const { operation } = step;
  for (const link of linksOf(step)) {
    const target = operations.find((one) => targetsOperation(one, link));
    if (target === undefined || shapeOf(target.path) !== shapeOf(item.path)) continue;
    const own = new Map(parameterNames(operation.path).map((name, index) => [name, sentPathValues(step)[index]]));
    const values = parameterNames(target.path).map((name) => {
      const expression = link.parameters?.[name] ?? link.parameters?.[`path.${name}`];
      return expression === undefined ? own.get(name) : evaluateExpression(expression, expressionSourceOf(step));
    });
    const known = values.filter((value) => value !== undefined);
    if (known.length === values.length) return { source: 'a link', values: known };
  }
  return undefined;
}

/** Returns the request body that a response's link gives for an operation; `undefined` without a link. */
export function linkedBody(step: SequenceStep, target: ApiOperation): Json | undefined {
  const link = linksOf(step).find((one) => one.requestBody !== undefined && targetsOperation(target, one));
  const body = link?.requestBody === undefined ? undefined : evaluateWithin(link.requestBody, expressionSourceOf(step));
  return body === undefined || isLong(body) ? undefined : body;
}

function linksOf({ operation, response: { status } }: SequenceStep): readonly ResponseLink[] {
  const documented = operation.responses[status] ?? operation.responses[`${String(status).charAt(0)}XX`];
  return documented?.links ?? [];
}

/** Reads the identity from the `Location` header, if its path matches the resource's path. */
function fromLocation(
  { operation, request, response }: SequenceStep,
  item: ItemPath,
  run: Run,
): ResourceIdentity | undefined {
  const location = headerOf(response, 'location');
  if (location === undefined || operation.method === 'GET') return undefined;
  const base = `http://server${request.target.split('?')[0] ?? ''}`;
  const path = URL.parse(location, base)?.pathname;
  const [, ...texts] = pathPattern(shapeOf(item.path), '([^/]+)').exec(path ?? '') ?? [];
  if (texts.length === 0) return undefined;
  const parameters = (item.read ?? item.remove ?? item.replace)?.parameters ?? [];
  const values = parameterNames(item.path).map((name, index) => {
    const schema = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema;
    const text = decode(texts[index] ?? '');
    return readingsOf(text).find((reading) => isScalar(reading) && run.requestOracle.allows(schema, reading)) ?? text;
  });
  return { source: 'Location', values };
}
