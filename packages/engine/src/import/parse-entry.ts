import { InvalidRequest, type Contract, type FormatConverter } from '@contract-first/contract';
import { readJson } from '../http/read/body.ts';
import { Failure } from '../http/failure.ts';
import { readParameters } from '../http/read/parameters.ts';
import { validateRequest, type ValidRequest } from '../http/handle/validate-request.ts';
import type { Line } from './read-lines.ts';
import { createValidators } from '../validators.ts';

/** A line as a validated request, or the reason why it is invalid. */
export type LineEntry = {
  readonly line: number;
  readonly key: string;
  readonly request: ValidRequest | { readonly reason: string };
};

const MEDIA_TYPE = 'application/json';
const NO_PARAMETERS = { path: {}, query: '', headers: {} };

/**
 * Creates a function that parses and validates a line with the same functions as the request body of an operation, so a
 * line is rejected for the same reasons.
 *
 * @returns a function that returns `undefined` for a blank line
 */
export function createEntryReader(
  contract: Contract,
  operationId: string,
  limitBytes: number,
  formats: FormatConverter,
): (line: Line) => LineEntry | undefined {
  const operation = contract.operations[operationId];
  if (operation === undefined) throw new Error(`the contract has no ${operationId}`);
  const compiled = { operation, validator: createValidators(contract).compileSync(operation) };
  const conversions = { formats, int64Shapes: contract.int64Shapes };

  return ({ number, bytes, key }) => {
    if (bytes?.every(isWhitespace) === true) return undefined;
    try {
      if (bytes === undefined) throw new Failure(413, `the line must not be larger than ${String(limitBytes)} bytes`);
      const sent = { mediaType: MEDIA_TYPE, contentType: MEDIA_TYPE, sizeBytes: bytes.length };
      const body = { ...sent, ...readJson(bytes, 'the line') };
      const parameters = readParameters(operation, NO_PARAMETERS, new Set());
      const request = validateRequest(compiled, parameters, body, conversions);
      return { line: number, key, request };
    } catch (error) {
      if (!(error instanceof Failure || error instanceof InvalidRequest)) throw error;
      return { line: number, key, request: { reason: error.message } };
    }
  };
}

/** Checks for JSON whitespace, including the carriage return of a CRLF line end. */
function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
