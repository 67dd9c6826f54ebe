import { parameterNames } from '@contract-first/contract';
import type { ApiOperation } from '../operations/api-operation.ts';
import { idText } from '../resources/identity-place.ts';
import { memberNames } from '../resources/resource-names.ts';
import { isObject, isScalar, type Json } from '../values/json-value.ts';
import type { Exchange } from './conformance.ts';
import type { RequestInput } from './wire-request.ts';

// A server may find the request malformed, in conflict with itself, or impossible to process.
const REFUSALS = [400, 409, 422];

/** Copies the values of a PUT or PATCH with the id of the path in the body, where the body has another one. */
export function withIdOfPath(operation: ApiOperation, input: RequestInput): RequestInput {
  const other = findOtherId(operation, input);
  if (other === undefined) return input;
  const { body, name, idOfPath } = other;
  return { ...input, body: { ...body, value: { ...body.value, [name]: idOfPath } } };
}

/**
 * Returns whether a server has refused a PUT or PATCH whose body has another id than its path: the schemas allow it, and OpenAPI
 * does not say what it means.
 */
export function isRefusedForOtherId({ operation, testCase: { input }, response: { status } }: Exchange): boolean {
  return input !== undefined && REFUSALS.includes(status) && findOtherId(operation, input) !== undefined;
}

function findOtherId({ method, path }: ApiOperation, { parameters, body }: RequestInput) {
  if (!['PUT', 'PATCH'].includes(method) || !path.endsWith('}') || body === undefined) return undefined;
  const value = body.value;
  const parameter = parameterNames(path).at(-1) ?? '';
  const sent = parameters.find(({ parameter: { in: place, name } }) => place === 'path' && name === parameter);
  if (sent === undefined || !isObject(value)) return undefined;
  const name = memberNames({ path, parameter }).find((one) => Object.hasOwn(value, one));
  const id: Json = name === undefined ? null : (value[name] ?? null);
  if (name === undefined || !isScalar(id) || idText(id) === idText(sent.value)) return undefined;
  return { body: { ...body, value }, name, idOfPath: sent.value };
}
