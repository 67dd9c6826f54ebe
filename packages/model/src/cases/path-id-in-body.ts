import { parameterNames } from '@contract-first/contract';
import type { ApiOperation } from '../operations/api-operation.ts';
import { idText } from '../resources/identity-place.ts';
import { memberNames } from '../resources/resource-names.ts';
import { isObject, isScalar } from '../values/json-value.ts';
import { pathValue, withMember, type RequestInput } from '../requests/wire-request.ts';

/** Replaces the id in the body of a PUT or PATCH with the id of the path, if they differ. */
export function withIdOfPath(operation: ApiOperation, input: RequestInput): RequestInput {
  const other = findOtherId(operation, input);
  return other === undefined ? input : withMember(input, other.name, other.idOfPath);
}

/** Returns whether the ids in the body and the path of a PUT or PATCH differ. */
export function hasOtherId(operation: ApiOperation, input: RequestInput): boolean {
  return findOtherId(operation, input) !== undefined;
}

function findOtherId({ method, path }: ApiOperation, input: RequestInput) {
  const value = input.body?.value ?? null;
  if (!['PUT', 'PATCH'].includes(method) || !path.endsWith('}') || !isObject(value)) return undefined;
  const parameter = parameterNames(path).at(-1) ?? '';
  const idOfPath = pathValue(input, parameter);
  const name = memberNames({ path, parameter }).find((one) => Object.hasOwn(value, one));
  const id = name === undefined ? null : (value[name] ?? null);
  if (idOfPath === undefined || name === undefined || !isScalar(id) || idText(id) === idText(idOfPath))
    return undefined;
  return { name, idOfPath };
}
