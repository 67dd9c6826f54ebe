import { error as validatorError } from 'express-openapi-validator';
import { createRequestAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options.js';
import { defaultSerDes } from 'express-openapi-validator/dist/framework/base.serdes.js';
import type {
  NormalizedOpenApiValidatorOpts,
  OpenAPIV3,
  OpenApiRequest,
} from 'express-openapi-validator/dist/framework/types.js';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js';
import type { Operation } from './operation.ts';
import { sliceDocument, sliceMediaType, type ContractDocument } from './slice.ts';

/*
 * express-openapi-validator, one instance per operation, without its middleware.
 *
 * Its middleware looks the route up again for every request, compiling a path regexp for every operation until one
 * matches; it waits for a promise at each of its steps; and it lets every 5xx body pass unseen. Its validators, which
 * the middleware calls, have none of that. They are not part of its documented API, so package.json pins the version.
 */

/** What the validator sees of a request: values. It changes them in place, to fill in the defaults of the schema. */
export type RequestParts = {
  readonly path: object;
  readonly query: object;
  /** By their names in lower case. */
  readonly headers: object;
  readonly cookies: object;
  /** The media type of the contract that the body was sent as. */
  readonly mediaType: string | undefined;
  readonly body: unknown;
};

/** Checks what goes in and out of one operation against the document. */
export type OperationValidator = {
  /** @throws {InvalidRequest} when the request does not conform */
  readonly request: (parts: RequestParts) => void;
  /** For JSON and text bodies. @throws {BrokenContract} when the document has no such answer */
  readonly response: (status: number, mediaType: string, body: unknown) => void;
};

/** The request does not conform to the document; the message says what to mend. */
export class InvalidRequest extends Error {}

/** The service was about to send an answer that the document does not allow. */
export class BrokenContract extends Error {}

const OPTIONS: NormalizedOpenApiValidatorOpts = {
  apiSpec: '',
  validateApiSpec: false,
  validateRequests: { allowUnknownQueryParameters: false, coerceTypes: false, removeAdditional: false },
  validateResponses: { removeAdditional: false, coerceTypes: false },
  validateSecurity: false,
  fileUploader: false,
  operationHandlers: false,
  $refParser: { mode: 'bundle' },
  validateFormats: true,
  ajvFormats: { mode: 'full' },
  formats: {},
  serDes: defaultSerDes,
};

/**
 * Compiles the schemas of one operation. Takes some milliseconds.
 *
 * @throws {Error} when a schema cannot be compiled; the generator has tried, so not with generated operations
 */
export function createValidator(document: ContractDocument, operation: Operation): OperationValidator {
  const options = new AjvOptions(OPTIONS);
  // The preprocessor changes the slice in place, and hands out a copy of it for responses.
  const slice = sliceDocument(document, operation) as unknown as OpenAPIV3.DocumentV3_1;
  const { apiDoc, apiDocRes } = new SchemaPreprocessor(slice, { ...options.preprocessor, ...EXACT }, {}).preProcess();
  const requests = new RequestValidator(apiDoc, { ...options.request, ...EXACT });
  // For parameters it would coerce types, and take null for 0. Ours have been read: they have their types already.
  Object.assign(requests, { ajv: createRequestAjv(apiDoc, { ...options.request, ...EXACT }) });
  const responses = new ResponseValidator(apiDocRes, { ...options.response, ...EXACT }, {});

  const { path, method, requestBody } = operation;
  const validate = (schema: OperationObject, parts: RequestParts): void => {
    const view = new RequestView(schema, operation, parts) as unknown as OpenApiRequest;
    // Synchronous, and without a look at the response.
    void requests.validate(view, undefined as never, () => undefined);
  };
  // Schemas are compiled when the first request with a media type comes: here it is. The parameters are in the schema
  // only now, for later the validator would take their values apart once more.
  const schema = operationOf(apiDoc, operation);
  const emptySchema = { ...schema, parameters: [] };
  for (const mediaType of [undefined, ...Object.keys(requestBody?.content ?? {})]) {
    const parts = { path: {}, query: {}, headers: {}, cookies: {}, mediaType, body: undefined };
    if (mediaType !== undefined || requestBody?.required !== true)
      ignoreInvalid(() => {
        validate(schema, parts);
      });
  }
  const responseValidators = responses._getOrBuildValidator(
    new RequestView(schema, operation, NO_PARTS) as unknown as OpenApiRequest,
    operationOf(apiDocRes, operation).responses,
  );

  return {
    request(parts) {
      try {
        validate(emptySchema, parts);
      } catch (error) {
        if (error instanceof validatorError.BadRequest) throw new InvalidRequest(explain(error.message));
        throw error;
      }
    },
    response(statusCode, mediaType, body) {
      try {
        const accepts = [sliceMediaType(mediaType)];
        responses._validate({ validators: responseValidators, body: body as object, statusCode, path, accepts });
      } catch (error) {
        if (!(error instanceof validatorError.InternalServerError)) throw error;
        throw new BrokenContract(`${method} ${path} ${String(statusCode)}: ${error.message}`);
      }
    },
  };
}

// `{}` has no property `constructor`; a list may be longer than its `prefixItems`; a format that nobody knows allows
// everything (JSON Schema 2020-12, 7.2.3). The linter has judged the schemas: without the meta-schemas of JSON Schema, an
// instance is made in a third of the time.
const EXACT = { ownProperties: true, strictTuples: false, meta: false, logger: false as const };

const NO_PARTS: RequestParts = { path: {}, query: {}, headers: {}, cookies: {}, mediaType: undefined, body: undefined };

/** As much of a request as the validator reads. */
class RequestView {
  readonly method: string;
  readonly originalUrl = '';
  readonly headers: object;
  readonly cookies: object;
  readonly params: object;
  readonly body: unknown;
  readonly openapi: { expressRoute: string; openApiRoute: string; pathParams: object; schema: unknown };
  readonly #query: object;

  constructor(schema: OperationObject, { method, path }: Operation, parts: RequestParts) {
    this.method = method;
    // The validator keeps a cache by Content-Type: the contract's names keep it bounded, whatever clients send.
    const { mediaType } = parts;
    this.headers = Object.assign(parts.headers, { 'content-type': mediaType && sliceMediaType(mediaType) });
    this.cookies = parts.cookies;
    this.params = parts.path;
    this.body = parts.body;
    this.openapi = { expressRoute: path, openApiRoute: path, pathParams: parts.path, schema };
    this.#query = parts.query;
  }

  // A getter, as in Express 5: the validator puts an own property over it, which it would undo on a plain object.
  get query(): object {
    return this.#query;
  }
}

function ignoreInvalid(validate: () => void): void {
  try {
    validate();
  } catch (error) {
    if (!(error instanceof validatorError.BadRequest)) throw error;
  }
}

type OperationObject = OpenAPIV3.OperationObject & { readonly responses: OpenAPIV3.ResponsesObject };

function operationOf(document: OpenAPIV3.DocumentV3 | OpenAPIV3.DocumentV3_1, { path, method }: Operation) {
  const operation = (document.paths?.[path] as Record<string, unknown> | undefined)?.[method.toLowerCase()];
  return operation as OperationObject; // The slice was made for this operation, and the linter has checked its shape.
}

/** "request/body/id must be integer" -> "body/id must be integer", with the places named as in the document */
function explain(message: string): string {
  return message
    .replaceAll(/(^|, )request\//g, '$1')
    .replaceAll(/(^|, )params\b/g, '$1path')
    .replaceAll(/(^|, )(header|cookie)s\b/g, '$1$2');
}
