import { contract, type Request } from '../../src/plants/contract.ts';
import { createValidator } from '../../src/engine/contract/validator.ts';
import { readJson } from '../../src/engine/http/body.ts';
import { Failure } from '../../src/engine/http/failure.ts';
import { readParameters } from '../../src/engine/http/parameters.ts';
import { validateRequest } from '../../src/engine/http/validate-request.ts';
import type { Line } from './lines.ts';

/** What a line asks for, or why it cannot be had. */
export type Entry = {
  readonly line: number;
  readonly key: string;
  readonly asked: Request<'createPlant'> | { readonly reason: string };
};

const MEDIA_TYPE = 'application/json';
const NO_PARAMETERS = { path: {}, query: '', headers: {} };

/**
 * Makes a reader of lines. A line is to it what the body of a request is to the service: it goes through the same
 * functions, and is refused for the same reasons.
 *
 * @returns a function that gives `undefined` for a blank line
 */
export function createEntryReader(limitBytes: number): (line: Line) => Entry | undefined {
  const { createPlant: operation } = contract.operations;
  if (operation === undefined) throw new Error('the contract has no createPlant');
  const validator = createValidator(contract.document, operation);

  return ({ number, bytes, key }) => {
    if (bytes?.every(isWhitespace) === true) return undefined;
    try {
      if (bytes === undefined) throw new Failure(413, `the line must not be larger than ${String(limitBytes)} bytes`);
      const sent = { mediaType: MEDIA_TYPE, contentType: MEDIA_TYPE, sizeBytes: bytes.length };
      const body = { ...sent, ...readJson(bytes, 'the line') };
      const parameters = readParameters(operation, NO_PARAMETERS, new Set());
      const request = validateRequest(operation, validator, parameters, body, contract.int64Shapes);
      // What has passed the validator is what the handler takes.
      return { line: number, key, asked: request as Request<'createPlant'> };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { line: number, key, asked: { reason: error.message } };
    }
  };
}

/** JSON's whitespace, with the carriage return of a line that ends in CRLF. */
function isWhitespace(byte: number): boolean {
  return byte === 0x20 || byte === 0x09 || byte === 0x0d;
}
