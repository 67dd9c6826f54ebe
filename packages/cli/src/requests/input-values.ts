import { isObject, type Json } from '../values/json-value.ts';
import type { RequestInput } from './wire-request.ts';

/** Returns the value of a parameter of the path. */
export function pathValue({ parameters }: RequestInput, wanted: string): Json | undefined {
  return parameters.find(({ parameter: { in: place, name } }) => place === 'path' && name === wanted)?.value;
}

/** Copies values with another member in their JSON object; without it, returns them unchanged. */
export function withMember(input: RequestInput, name: string, value: Json): RequestInput {
  const { body } = input;
  if (body === undefined || !isObject(body.value) || !Object.hasOwn(body.value, name)) return input;
  return { ...input, body: { ...body, value: { ...body.value, [name]: value } } };
}
