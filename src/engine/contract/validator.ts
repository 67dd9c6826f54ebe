import { createRequestAjv } from 'express-openapi-validator/dist/framework/ajv/index.js';
import { AjvOptions } from 'express-openapi-validator/dist/framework/ajv/options.js';
import { defaultSerDes } from 'express-openapi-validator/dist/framework/base.serdes.js';
import type {
  AjvInstance,
  NormalizedOpenApiValidatorOpts,
  OpenAPIV3,
} from 'express-openapi-validator/dist/framework/types.js';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares/openapi.request.validator.js';
import { ResponseValidator } from 'express-openapi-validator/dist/middlewares/openapi.response.validator.js';
import { SchemaPreprocessor } from 'express-openapi-validator/dist/middlewares/parsers/schema.preprocessor.js';
import { augmentAjvErrors, ContentType } from 'express-openapi-validator/dist/middlewares/util.js';
import { findCheapBytes, textLength } from './check-cost.ts';
import { addEqualities, markEqualities } from './equality.ts';
import { LINEAR_FORMATS } from './formats.ts';
import { formatProblems } from './explain.ts';
import { findResponse, type Operation } from './operation.ts';
import { sliceDocument, sliceMediaType, type ContractDocument } from './slice.ts';
import { runWithin, TimeLimitExceeded } from './time-limit.ts';

/*
 * express-openapi-validator, one instance per operation, without its middleware.
 *
 * Its middleware looks the route up again for every request, compiling a path regexp for every operation until one
 * matches; it waits for a promise at each of its steps; it takes the parameters apart, which have been read already; and
 * it lets every 5xx body pass unseen. What it compiles from the document has none of that: two functions for what comes
 * in and one for each body that goes out. They are not part of its documented API, so package.json pins the version.
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
  readonly bodyBytes?: number;
};

// Most valid bodies of 1 MiB take a tenth of it.
const TIME_LIMIT_MS = 200;
const WATCHED_BYTES = 16_384; // Every larger body is watched.
const MAX_PROBLEMS = 10;

/** Checks what goes in and out of one operation against the document. */
export type OperationValidator = {
  /** @throws {InvalidRequest} when the request does not conform */
  readonly request: (parts: RequestParts) => void;
  /** For JSON and text bodies. @throws {InvalidResponse} when the document has no such answer */
  readonly response: (status: number, mediaType: string, body: unknown) => void;
};

/** The request does not conform to the document; the message says what to mend. */
export class InvalidRequest extends Error {}

/** The service was about to send an answer that the document does not allow. */
export class InvalidResponse extends Error {}

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
  formats: LINEAR_FORMATS,
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
  const sliced = sliceDocument(document, operation);
  const [requestCheapBytes, responseCheapBytes] = cheapBytesOf(sliced, operation);
  markEqualities(sliced);
  const slice = sliced as unknown as OpenAPIV3.DocumentV3_1;
  const { apiDoc, apiDocRes } = new SchemaPreprocessor(slice, { ...options.preprocessor, ...EXACT }, {}).preProcess();
  // What compiles is private to both validators: their public methods want a request and a response of Express.
  const requests = new RequestValidator(apiDoc, { ...options.request, ...EXACT }) as unknown as RequestCompiler;
  const responses = new ResponseValidator(apiDocRes, { ...options.response, ...EXACT }) as unknown as ResponseCompiler;
  // For parameters it would coerce types, and take null for 0. Ours have been read: they have their types already.
  requests.ajv = createRequestAjv(apiDoc, { ...options.request, ...EXACT });

  for (const ajv of [requests.ajv, requests.ajvBody, responses.ajvBody]) addEqualities(ajv);

  const { method, path, requestBody } = operation;
  const schema = operationOf(apiDoc, operation);
  const inputs = new Map<string | undefined, readonly Check[]>();
  for (const mediaType of [undefined, ...Object.keys(requestBody?.content ?? {})]) {
    if (mediaType === undefined && requestBody?.required === true) continue;
    const key = mediaType ?? 'no body';
    requests.buildMiddleware(
      path,
      schema,
      ContentType.fromString(mediaType === undefined ? '' : sliceMediaType(mediaType)),
      key,
    );
    inputs.set(mediaType, [requests.ajv.getSchema(key) as Check, requests.ajvBody.getSchema(key) as Check]);
  }
  const outputs = responses.buildValidators(operationOf(apiDocRes, operation).responses, '');

  return {
    request({ path: params, query, headers, cookies, mediaType, body, bodyBytes = Infinity }) {
      const data = { query, headers, params, cookies, body };
      const checks = inputs.get(mediaType);
      if (checks === undefined) throw new InvalidRequest('request must have a documented body');
      const findFailed = (): readonly Check[] => checks.filter((check) => check(data) !== true);
      // The texts of the parameters need not be added up as long as any that fit into a header are cheap.
      const isCheap =
        requestCheapBytes >= 2 * WATCHED_BYTES
          ? bodyBytes <= WATCHED_BYTES
          : bodyBytes + textLength({ query, headers, params, cookies }) <= requestCheapBytes;
      const failed = isCheap ? findFailed() : withinLimit(findFailed);
      if (failed.length > 0) throw new InvalidRequest(formatErrors(failed));
    },
    response(status, mediaType, body) {
      const [key = ''] = findResponse(operation, status) ?? [];
      const check = outputs[key]?.[sliceMediaType(mediaType)];
      // As with express-openapi-validator, null is no body, whatever the schema.
      const isDocumented = check !== undefined && body !== undefined && body !== null;
      const isValid = (): boolean => isDocumented && check({ response: body }) === true;
      const isCheap = responseCheapBytes > WATCHED_BYTES || textLength(body) <= responseCheapBytes;
      if (isCheap ? isValid() : runWithin(TIME_LIMIT_MS, isValid)) return;
      const problem = isDocumented ? formatErrors([check]) : 'has no such body';
      throw new InvalidResponse(`${method} ${path} ${String(status)}: ${problem}`);
    },
  };
}

// `{}` has no property `constructor`; a list may be longer than its `prefixItems`; a format that nobody knows allows
// everything (JSON Schema 2020-12, 7.2.3). The linter has judged the schemas: without the meta-schemas of JSON Schema, an
// instance is made in a third of the time.
const EXACT = { ownProperties: true, strictTuples: false, meta: false, logger: false as const };

/** What Ajv makes of a schema. */
type Check = {
  (data: object): unknown;
  errors?: Parameters<typeof augmentAjvErrors>[0] | null;
};

/** What the request validator does when the first request with a media type comes: it keeps two checks under a key. */
type RequestCompiler = {
  ajv: AjvInstance;
  readonly ajvBody: AjvInstance;
  readonly buildMiddleware: (path: string, schema: object, contentType: ContentType, key: string) => unknown;
};

/** What the response validator does before the first answer: a check for each status and media type. */
type ResponseCompiler = {
  readonly ajvBody: AjvInstance;
  readonly buildValidators: (
    responses: object,
    key: string,
  ) => Readonly<Record<string, Readonly<Record<string, Check>>>>;
};

type OperationObject = OpenAPIV3.OperationObject & { readonly responses: OpenAPIV3.ResponsesObject };

function operationOf(document: OpenAPIV3.DocumentV3 | OpenAPIV3.DocumentV3_1, { path, method }: Operation) {
  const operation = (document.paths?.[path] as Record<string, unknown> | undefined)?.[method.toLowerCase()];
  return operation as OperationObject; // The slice was made for this operation, and the linter has checked its shape.
}

/** Limits of {@link findCheapBytes}, for requests and for responses. */
function cheapBytesOf(slice: ContractDocument, { path, method }: Operation): readonly [number, number] {
  const schemas = slice.components?.['schemas'] ?? {};
  const { responses, ...request } = slice.paths?.[path]?.[method.toLowerCase()] as Readonly<Record<string, unknown>>;
  return [findCheapBytes(request, schemas), findCheapBytes(responses, schemas)];
}

function withinLimit<T>(call: () => T): T {
  try {
    return runWithin(TIME_LIMIT_MS, call);
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error;
    throw new InvalidRequest('request takes too long to check: send less at once, or shorter texts');
  }
}

function formatErrors(failed: readonly Check[]): string {
  return formatProblems(augmentAjvErrors(failed.flatMap(({ errors }) => errors ?? []).slice(0, MAX_PROBLEMS)));
}
