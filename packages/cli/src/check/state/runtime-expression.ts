import { isScalar, membersOf, replaceAt, type Json } from '../../values/json-value.ts';
import { headerOf } from '../conformance.ts';
import type { Step } from './send.ts';

/**
 * Evaluates the value of a link (OpenAPI 3.1, 4.8.20.4): a runtime expression, a text with expressions in braces, or a
 * constant.
 *
 * @returns `undefined` when an expression refers to something that is not there
 */
export function evaluate(value: Json, step: Step): Json | undefined {
  if (typeof value !== 'string') return value;
  if (value.startsWith('$')) return evaluateExpression(value, step);
  const parts = value.split(/\{(\$[^}]+)\}/).map((part, index) => {
    const evaluated = index % 2 === 0 ? part : evaluateExpression(part, step);
    return evaluated === undefined || typeof evaluated === 'object' ? undefined : String(evaluated);
  });
  return parts.includes(undefined) ? undefined : parts.join('');
}

/** Evaluates the expressions in the members and items of a value, too; `undefined` when one refers to nothing. */
export function evaluateWithin(value: Json, step: Step): Json | undefined {
  if (isScalar(value) || value === null) return evaluate(value, step);
  const members = membersOf(value).map(([name, member]) => [name, evaluateWithin(member, step)] as const);
  return members.reduce<Json | undefined>(
    (result, [name, member]) =>
      result === undefined || member === undefined ? undefined : replaceAt(result, [name], member),
    value,
  );
}

function evaluateExpression(expression: string, step: Step): Json | undefined {
  const { request, response, json, testCase } = step;
  if (expression === '$url') return request.target;
  if (expression === '$method') return request.method;
  if (expression === '$statusCode') return response.status;
  const [, source, place = '', rest = ''] =
    /^\$(request|response)\.(header\.|query\.|path\.|body)(.*)$/.exec(expression) ?? [];
  if (place === 'body') {
    const body = source === 'request' ? testCase.input?.body?.value : json;
    return body === undefined ? undefined : at(body, rest.replace(/^#/, ''));
  }
  if (source === 'response') return place === 'header.' ? headerOf(response, rest.toLowerCase()) : undefined;
  const location = place.slice(0, -1);
  const isNamed = (name: string): boolean =>
    location === 'header' ? name.toLowerCase() === rest.toLowerCase() : name === rest;
  return testCase.input?.parameters.find(({ parameter }) => parameter.in === location && isNamed(parameter.name))
    ?.value;
}

/** Returns the part of a value at a JSON pointer (RFC 6901). */
function at(value: Json, pointer: string): Json | undefined {
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'))
    .reduce<Json | undefined>(
      (part, token) => membersOf(part ?? null).find(([name]) => String(name) === token)?.[1],
      value,
    );
}
