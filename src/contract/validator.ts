import { error as validatorError } from 'express-openapi-validator';
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
import { sliceDocument, type ContractDocument } from './slice.ts';

/*
 * express-openapi-validator, one instance per operation, without its middleware.
 *
 * Its middleware looks the route up again for every request, compiling a path regexp for every operation until one
 * matches; it waits for a promise at each of its steps; and it lets every 5xx body pass unseen. Its validators, which
 * the middleware calls, have none of that. They are not part of its documented API, so package.json pins the version.
 */

/** What the validator sees of a request. `body` may be changed: defaults of the schema are filled in. */
export type RequestParts = {
  /** The request target, with its query. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly query: Readonly<Record<string, unknown>>;
  /** The media type of the contract that the request's Content-Type matched. */
  readonly mediaType: string | undefined;
  readonly body: unknown;
};

/** Checks what goes in and out of one operation against the document. */
export type OperationValidator = {
  /** @throws {InvalidRequest} when the request does not conform */
  readonly request: (parts: RequestParts) => void;
  /** @throws {BrokenContract} when the document has no such answer */
  readonly response: (status: number, mediaType: string | undefined, body: unknown) => void;
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
  const { apiDoc, apiDocRes } = new SchemaPreprocessor(slice, options.preprocessor, {}).preProcess();
  const requests = new RequestValidator(apiDoc, options.request);
  const responses = new ResponseValidator(apiDocRes, options.response, {});

  const { path, method } = operation;
  const requestSchema = operationOf(apiDoc, operation);
  const responseValidators = responses._getOrBuildValidator(
    new RequestView(requestSchema, operation, NO_PARTS) as unknown as OpenApiRequest,
    operationOf(apiDocRes, operation).responses,
  );

  return {
    request(parts) {
      const view = new RequestView(requestSchema, operation, parts);
      try {
        // Synchronous, and without a look at the response, for everything but uploads.
        void requests.validate(view as unknown as OpenApiRequest, undefined as never, () => undefined);
      } catch (error) {
        if (error instanceof validatorError.BadRequest) throw new InvalidRequest(explain(error.message));
        throw error;
      }
    },
    response(statusCode, mediaType, body) {
      const accepts = mediaType === undefined ? [] : [mediaType];
      try {
        responses._validate({ validators: responseValidators, body: body as object, statusCode, path, accepts });
      } catch (error) {
        if (!(error instanceof validatorError.InternalServerError)) throw error;
        throw new BrokenContract(`${method} ${path} ${String(statusCode)}: ${error.message}`);
      }
    },
  };
}

const NO_PARTS: RequestParts = { target: '', headers: {}, query: {}, mediaType: undefined, body: undefined };

/** As much of a request as the validator reads. */
class RequestView {
  readonly method: string;
  readonly originalUrl: string;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly params = {};
  readonly body: unknown;
  readonly openapi: { expressRoute: string; openApiRoute: string; pathParams: object; schema: unknown };
  readonly #query: Readonly<Record<string, unknown>>;

  constructor(schema: OperationObject, { method, path }: Operation, parts: RequestParts) {
    this.method = method;
    this.originalUrl = parts.target;
    // The validator keeps a cache by Content-Type: the contract's spelling keeps it bounded, whatever clients send.
    this.headers = { ...parts.headers, 'content-type': parts.mediaType };
    this.body = parts.body;
    this.openapi = { expressRoute: path, openApiRoute: path, pathParams: {}, schema };
    this.#query = parts.query;
  }

  // A getter, as in Express 5: the validator puts an own property over it, which it would undo on a plain object.
  get query(): Readonly<Record<string, unknown>> {
    return this.#query;
  }
}

type OperationObject = OpenAPIV3.OperationObject & { readonly responses: OpenAPIV3.ResponsesObject };

function operationOf(document: OpenAPIV3.DocumentV3 | OpenAPIV3.DocumentV3_1, { path, method }: Operation) {
  const operation = (document.paths?.[path] as Record<string, unknown> | undefined)?.[method.toLowerCase()];
  return operation as OperationObject; // The slice was made for this operation, and the linter has checked its shape.
}

/** "request/body/id must be integer" -> "body/id must be integer" */
function explain(message: string): string {
  return message.replaceAll(/(^|, )request\//g, '$1');
}
