import { isScalar, membersOf, replaceAt, type Json } from './json-value.ts';

/** A request and its response, for runtime expressions. */
export type ExpressionSource = {
  readonly url: string;
  readonly method: string;
  readonly status: number;
  /** Returns the value of a request parameter or header. */
  readonly parameter: (location: string, name: string) => Json | undefined;
  readonly requestBody: Json | undefined;
  readonly responseHeader: (name: string) => string | undefined;
  readonly responseBody: Json | undefined;
};

/**
 * Evaluates the value of a link or the URL of a callback (OpenAPI 3.1, 4.8.20.4): a runtime expression, a text with
 * embedded expressions in braces, or a constant.
 *
 * @returns `undefined` if the target of an expression is missing
 */
export function evaluateExpression(value: Json, source: ExpressionSource): Json | undefined {
  if (typeof value !== 'string') return value;
  if (value.startsWith('$')) return resolveExpression(value, source);
  const parts = value.split(/\{(\$[^}]+)\}/).map((part, index) => {
    const evaluated = index % 2 === 0 ? part : resolveExpression(part, source);
    return evaluated === undefined || typeof evaluated === 'object' ? undefined : String(evaluated);
  });
  return parts.includes(undefined) ? undefined : parts.join('');
}

/** Evaluates all expressions in a value, recursively; returns `undefined` if a target is missing. */
export function evaluateWithin(value: Json, source: ExpressionSource): Json | undefined {
  if (isScalar(value) || value === null) return evaluateExpression(value, source);
  const members = membersOf(value).map(([name, member]) => [name, evaluateWithin(member, source)] as const);
  return members.reduce<Json | undefined>(
    (result, [name, member]) =>
      result === undefined || member === undefined ? undefined : replaceAt(result, [name], member),
    value,
  );
}

function resolveExpression(expression: string, source: ExpressionSource): Json | undefined {
  if (expression === '$url') return source.url;
  if (expression === '$method') return source.method;
  if (expression === '$statusCode') return source.status;
  const [, message, place = '', rest = ''] =
    /^\$(request|response)\.(header\.|query\.|path\.|body)(.*)$/.exec(expression) ?? [];
  if (place === 'body') {
    const body = message === 'request' ? source.requestBody : source.responseBody;
    return body === undefined ? undefined : at(body, rest.replace(/^#/, ''));
  }
  if (message === 'response') return place === 'header.' ? source.responseHeader(rest.toLowerCase()) : undefined;
  return source.parameter(place.slice(0, -1), rest);
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
