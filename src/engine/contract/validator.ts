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
import { replaceEqualityKeywords } from './equality.ts';
import { FORMATS } from './formats.ts';
import { formatProblems } from './format-problems.ts';
import { findResponse, type Operation } from './operation.ts';
import { HEADERS_MEDIA_TYPE, sliceDocument, sliceMediaType, type ContractDocument } from './slice-document.ts';
import { compilePattern } from './pattern.ts';
import { runWithin, TimeLimitExceeded } from './time-limit.ts';

/*
 * Uses express-openapi-validator without its middleware, one instance per operation.
 *
 * The middleware routes every request again, and compiles a path regexp for each operation until one matches. It awaits a
 * promise at each step, parses the parameters, which are already parsed here, and never validates 5xx bodies. The
 * functions that it compiles from the document have none of these flaws: two per request, one per response body. They
 * are not part of the documented API, so package.json pins the version.
 */

/** The values of a request. The validator sets defaults of the schema in place. */
export type RequestParts = {
  readonly path: object;
  readonly query: object;
  /** By name in lower case. */
  readonly headers: object;
  readonly cookies: object;
  /** The documented media type of the body. */
  readonly mediaType: string | undefined;
  readonly body: unknown;
  readonly bodyBytes?: number;
};

// Most valid bodies of 1 MiB take a tenth of this time.
const TIME_LIMIT_MS = 200;
const UNLIMITED_BYTES = 16_384; // Larger bodies always have a time limit.
const MAX_PROBLEMS = 10;

/** Validates the requests and responses of one operation against the document. */
export type OperationValidator = {
  /** @throws {InvalidRequest} when the request does not conform */
  readonly request: (parts: RequestParts) => void;
  /** Validates a JSON or text body. @throws {InvalidResponse} when the response does not conform */
  readonly response: (status: number, mediaType: string, body: unknown) => void;
  /** Validates the headers of a response, by name in lower case. @throws {InvalidResponse} when they do not conform */
  readonly responseHeaders: (status: number, headers: object) => void;
};

/** The request does not conform to the document; the message tells the client how to fix it. */
export class InvalidRequest extends Error {}

/** The response does not conform to the document, and must not be sent. */
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
  formats: FORMATS,
  serDes: defaultSerDes,
};

/**
 * Compiles the schemas of one operation, which takes some milliseconds.
 *
 * @throws {Error} when a schema cannot be compiled; the generator has ruled this out for its operations
 */
export function createValidator(document: ContractDocument, operation: Operation): OperationValidator {
  const options = new AjvOptions(OPTIONS);
  // The preprocessor modifies the slice in place, and returns a copy of it for responses.
  const sliced = sliceDocument(document, operation);
  const [requestCheapBytes, responseCheapBytes] = cheapBytesOf(sliced, operation);
  const slice = sliced as unknown as OpenAPIV3.DocumentV3_1;
  const { apiDoc, apiDocRes } = new SchemaPreprocessor(slice, { ...options.preprocessor, ...EXACT }, {}).preProcess();
  // The methods that compile are private: the public ones require Express requests and responses.
  const requests = new RequestValidator(apiDoc, { ...options.request, ...EXACT }) as unknown as RequestCompiler;
  const responses = new ResponseValidator(apiDocRes, { ...options.response, ...EXACT }) as unknown as ResponseCompiler;
  // The validator's own instance coerces types of parameters, and null to 0; the parameters here are already typed.
  requests.ajv = createRequestAjv(apiDoc, { ...options.request, ...EXACT });
  for (const ajv of [requests.ajv, requests.ajvBody, responses.ajvBody]) replaceEqualityKeywords(ajv);

  const { method, path, requestBody } = operation;
  const schema = operationOf(apiDoc, operation);
  const requestChecks = new Map<string | undefined, readonly Check[]>();
  for (const mediaType of [undefined, ...Object.keys(requestBody?.content ?? {})]) {
    if (mediaType === undefined && requestBody?.required === true) continue;
    const key = mediaType ?? 'no body';
    requests.buildMiddleware(
      path,
      schema,
      ContentType.fromString(mediaType === undefined ? '' : sliceMediaType(mediaType)),
      key,
    );
    requestChecks.set(mediaType, [requests.ajv.getSchema(key) as Check, requests.ajvBody.getSchema(key) as Check]);
  }
  const responseChecks = responses.buildValidators(operationOf(apiDocRes, operation).responses, '');

  return {
    request({ path: params, query, headers, cookies, mediaType, body, bodyBytes = Infinity }) {
      const data = { query, headers, params, cookies, body };
      const checks = requestChecks.get(mediaType);
      if (checks === undefined) throw new InvalidRequest('request must have a documented body');
      const findFailed = (): readonly Check[] => checks.filter((check) => check(data) !== true);
      // Parameters count only where a header full of them may not be cheap.
      const isCheap =
        requestCheapBytes >= 2 * UNLIMITED_BYTES
          ? bodyBytes <= UNLIMITED_BYTES
          : bodyBytes + textLength({ query, headers, params, cookies }) <= requestCheapBytes;
      const failed = isCheap ? findFailed() : runWithinLimit(findFailed);
      if (failed.length > 0) throw new InvalidRequest(formatErrors(failed));
    },
    response(status, mediaType, body) {
      const [key = ''] = findResponse(operation, status) ?? [];
      const check = responseChecks[key]?.[sliceMediaType(mediaType)];
      // As in express-openapi-validator, null counts as no body, even if the schema allows it.
      const isDocumented = check !== undefined && body !== undefined && body !== null;
      const isValid = (): boolean => isDocumented && check({ response: body }) === true;
      const isCheap = responseCheapBytes > UNLIMITED_BYTES || textLength(body) <= responseCheapBytes;
      if (isCheap ? isValid() : runWithin(TIME_LIMIT_MS, isValid)) return;
      const problem = isDocumented ? formatErrors([check]) : 'this body is not documented';
      throw new InvalidResponse(`${method} ${path} ${String(status)}: ${problem}`);
    },
    responseHeaders(status, headers) {
      const [key = ''] = findResponse(operation, status) ?? [];
      const check = responseChecks[key]?.[HEADERS_MEDIA_TYPE];
      if (check === undefined) return;
      const isValid = (): boolean => check({ response: headers }) === true;
      if (responseCheapBytes > UNLIMITED_BYTES ? isValid() : runWithin(TIME_LIMIT_MS, isValid)) return;
      const problem = formatErrors([check]).replaceAll(/\bresponse\b/g, 'headers');
      throw new InvalidResponse(`${method} ${path} ${String(status)}: ${problem}`);
    },
  };
}

// Options for conformance to JSON Schema: `{}` has no property `constructor`; a list may be longer than its
// `prefixItems`; an unknown format allows every value (2020-12, 7.2.3). Meta-schemas are disabled, since the linter has
// checked the schemas: creating an instance takes a third of the time without them.
const EXACT = {
  ownProperties: true,
  strictTuples: false,
  meta: false,
  logger: false as const,
  code: { regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
};

/** A schema compiled by Ajv. */
type Check = {
  (data: object): unknown;
  errors?: Parameters<typeof augmentAjvErrors>[0] | null;
};

/** The methods of the request validator that compile the two checks for a media type, and store them under a key. */
type RequestCompiler = {
  ajv: AjvInstance;
  readonly ajvBody: AjvInstance;
  readonly buildMiddleware: (path: string, schema: object, contentType: ContentType, key: string) => unknown;
};

/** The method of the response validator that compiles a check for each status and media type. */
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
  return operation as OperationObject; // The slice contains this operation, and the linter has checked its shape.
}

/** Returns {@link findCheapBytes} for requests and for responses. */
function cheapBytesOf(slice: ContractDocument, { path, method }: Operation): readonly [number, number] {
  const schemas = slice.components?.['schemas'] ?? {};
  const { responses, ...request } = slice.paths?.[path]?.[method.toLowerCase()] as Readonly<Record<string, unknown>>;
  return [findCheapBytes(request, schemas), findCheapBytes(responses, schemas)];
}

function runWithinLimit<T>(call: () => T): T {
  try {
    return runWithin(TIME_LIMIT_MS, call);
  } catch (error) {
    if (!(error instanceof TimeLimitExceeded)) throw error;
    throw new InvalidRequest('request takes too long to validate: send a smaller body or shorter strings');
  }
}

function formatErrors(failed: readonly Check[]): string {
  const errors = failed.flatMap(({ errors: found }) => found ?? []);
  // Ajv reports a condition after the problems that it leads to.
  return formatProblems(augmentAjvErrors(errors.filter(({ keyword }) => keyword !== 'if').slice(0, MAX_PROBLEMS)));
}
