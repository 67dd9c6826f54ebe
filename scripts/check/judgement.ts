import type { ApiOperation } from './api-operation.ts';
import { encodingOf } from './body-bytes.ts';
import type { CaseKind } from './case.ts';
import type { Oracle } from './oracle.ts';
import { readingsOf, writeParameter } from './parameter-text.ts';
import type { RequestInput } from './wire-request.ts';

/**
 * Decides whether the document allows a request.
 *
 * @returns `undefined` when that depends on how a server reads it (`1` in a query is a number and a string), or when a
 * value cannot be written
 */
export function judge(
  operation: ApiOperation,
  oracle: Oracle,
  { parameters, body }: RequestInput,
): CaseKind | undefined {
  const { requestBody } = operation;
  const missing = operation.parameters.filter(
    (parameter) => parameter.required && !parameters.some((sent) => sent.parameter === parameter),
  );
  if (parameters.some(({ parameter, value }) => writeParameter(parameter, value) === undefined)) return undefined;
  const readings = parameters.map(({ parameter, value }) => ({
    allowed: oracle.allows(parameter.schema, value),
    possible: !parameter.isJson && readingsOf(value).some((reading) => oracle.allows(parameter.schema, reading)),
  }));
  const isBodyAllowed =
    body === undefined
      ? requestBody?.required !== true
      : encodingOf(body.content) === 'binary' || oracle.allows(body.content.schema, body.value);

  if (missing.some(({ in: location }) => location !== 'header')) return 'negative';
  if (!isBodyAllowed || readings.some(({ allowed, possible }) => !allowed && !possible)) return 'negative';
  if (missing.length > 0) return 'missing header';
  return readings.every(({ allowed }) => allowed) ? 'positive' : undefined;
}
