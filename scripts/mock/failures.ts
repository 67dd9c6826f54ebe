import { runInThisContext } from 'node:vm';
import { concreteMediaType, kindOf } from '../../src/engine/contract/media-type.ts';
import type { RenderFailure } from '../../src/engine/http/failure-response.ts';
import { MESSAGE, renderFailureFunction, STATUS } from '../generate/failure-scaffold.ts';
import type { CompiledDocument } from '../openapi/compile.ts';
import type { FailureBody } from '../openapi/failures.ts';
import { partAt, placesOf, replaceAt, type Json } from '../values/json-value.ts';
import { responseOf } from './responses.ts';
import { writeText } from './text-body.ts';
import type { Values } from './values.ts';

type Details = Parameters<RenderFailure>[0];

const MAX_PLACES = 100;

/** Creates the functions that render failures: as `generate --scaffold` does, if that is valid, else with generated members. */
export function createFailures(
  { contract, document, failureBodies }: CompiledDocument,
  values: Values,
): Readonly<Record<string, RenderFailure>> {
  return Object.fromEntries(failureBodies.map((body) => [body.name, lazily(() => rendererOf(body))]));

  function rendererOf(body: FailureBody): RenderFailure {
    const operation = contract.operations[body.operationId];
    const response = operation && responseOf(values, operation, body.response);
    const described = response?.content?.[body.mediaType] ?? {};
    const mediaType = concreteMediaType(body.mediaType);
    const isValid = (value: Json): boolean => values.allows(described.schema, value);
    // The source text has names and literals of the document only as JSON.
    const scaffolded = runInThisContext(`(${renderFailureFunction(document, body)})`) as (details: Details) => Json;
    const [base = null] = values.valuesOf(described, { key: body.name, dynamic: false, isText: true });
    return (details) => {
      const value = scaffolded(details);
      const valid = isValid(value) ? value : fill(base, details, isValid);
      if (kindOf(mediaType) === 'json') return valid;
      const text = writeText(mediaType, valid);
      return isValid(text) ? text : Buffer.from(text);
    };
  }
}

/** Copies a value with status and message in the members that are named after them, where they are valid. */
function fill(base: Json, { status, message }: Details, isValid: (value: Json) => boolean): Json {
  return placesOf(base, MAX_PLACES).reduce((value, place) => {
    const name = place.findLast((key) => typeof key === 'string') ?? '';
    const part = partAt(base, place);
    const detail = typeof part === 'string' && MESSAGE.test(name) ? message : STATUS.test(name) ? status : undefined;
    const isSuitable = typeof part === 'string' || typeof part === 'number' || typeof part === 'bigint';
    if (detail === undefined || !isSuitable) return value;
    const changed = replaceAt(value, place, typeof part === 'string' ? String(detail) : detail);
    return isValid(changed) ? changed : value;
  }, base);
}

function lazily(create: () => RenderFailure): RenderFailure {
  let created: RenderFailure | undefined;
  return (details) => (created ??= create())(details);
}
