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
import { ContentType } from 'express-openapi-validator/dist/middlewares/util.js';
import { sliceVersion, type ContractDocument } from './contract-document.ts';
import { copySchema } from './copy-schema.ts';
import { findCost, followReferences, type CheckCost, type Reach } from './check-cost.ts';
import { replaceEqualityKeywords } from './equality.ts';
import { FORMATS, limitTimestamps } from './formats.ts';
import { createDirectedSchemas, type DirectedSchemas } from './directed-schemas.ts';
import { LinkedSchemas } from './linked-schemas.ts';
import { collectMissingDefaults } from './missing-defaults.ts';
import type { Operation } from './operation.ts';
import { compilePattern } from './pattern.ts';
import { SLICE_METHOD, sliceDocument, sliceMediaType } from './operation-schemas.ts';
import { ViolationFinder, type Check } from './violations.ts';

/*
 * Uses express-openapi-validator without its middleware.
 *
 * The middleware routes every request again, and compiles a path regexp for each operation until one matches. It awaits a
 * promise at each step, parses the parameters, which are already parsed here, and never validates 5xx bodies. The
 * functions that it compiles from the document have none of these flaws: two per request, one per response body. They
 * are not part of the documented API, so package.json pins the version.
 */

/** The compiled schemas of an operation. */
export type CompiledSchemas = {
  /** By documented media type, `undefined` without a body: a check of the parameters, and one of the body. */
  readonly requests: ReadonlyMap<string | undefined, readonly Check[]>;
  readonly requestCheapBytes: number;
  readonly violations: ViolationFinder;
  /** By key of `responses`, and by the media type of the slice. */
  readonly responses: Readonly<Record<string, Readonly<Record<string, Check>>>>;
  readonly responseCheapBytes: number;
};

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

// Options for conformance to JSON Schema: `{}` has no property `constructor`; a list may be longer than its
// `prefixItems`; an unknown format allows every value (2020-12, 7.2.3). Meta-schemas are disabled, since the linter has
// checked the schemas: creating an instance takes a third of the time without them. Defaults must not take part in the
// validation.
const EXACT = {
  useDefaults: false,
  ownProperties: true,
  strictTuples: false,
  meta: false,
  logger: false as const,
  code: { optimize: false, regExp: Object.assign(compilePattern, { code: 'compilePattern' }) },
};

/** Compiles the schemas of a document's operations. Shared schemas are compiled once. */
export class SchemaCompiler {
  readonly #document: ContractDocument;
  readonly #directed: DirectedSchemas;
  readonly #preprocessor: Preprocessor;
  readonly #requests: RequestCompiler;
  readonly #responses: ResponseCompiler;
  readonly #linked: Readonly<Record<Direction, LinkedSchemas>>;
  readonly #violations: ViolationFinder;
  readonly #components = new Map<string, Component>();
  #operations = 0;

  constructor(document: ContractDocument) {
    this.#document = document;
    this.#directed = createDirectedSchemas(document.components?.['schemas'] ?? {});
    const empty = { openapi: sliceVersion(document), info: document.info, paths: {} } as OpenAPIV3.DocumentV3_1;
    const options = new AjvOptions(OPTIONS);
    const request = { ...options.request, ...EXACT };
    // The methods used here are private: the public ones require Express requests and responses.
    const preprocessor = new SchemaPreprocessor(empty, { ...options.preprocessor, ...EXACT }, {});
    this.#preprocessor = preprocessor as unknown as Preprocessor;
    this.#requests = new RequestValidator(empty, request) as unknown as RequestCompiler;
    this.#responses = new ResponseValidator(empty, { ...options.response, ...EXACT }) as unknown as ResponseCompiler;
    // The validator's own instance coerces types of parameters, and null to 0; the parameters here are already typed.
    this.#requests.ajv = createRequestAjv(empty, request);
    for (const ajv of [this.#requests.ajv, this.#requests.ajvBody, this.#responses.ajvBody]) {
      replaceEqualityKeywords(ajv);
      limitTimestamps(ajv);
    }
    for (const ajv of [this.#requests.ajv, this.#requests.ajvBody]) collectMissingDefaults(ajv);
    this.#linked = {
      request: new LinkedSchemas(this.#requests.ajvBody),
      response: new LinkedSchemas(this.#responses.ajvBody),
    };
    this.#linked.request.link(this.#requests.ajv);
    this.#violations = new ViolationFinder(this.#requests.ajvBody);
  }

  /**
   * Compiles the schemas of an operation. Yields after each step, which takes a few milliseconds, or more if a schema has
   * hundreds of members. Several operations may be compiled in turns.
   *
   * @throws {Error} when a schema cannot be compiled; the generator has ruled this out for its operations
   */
  *compile(operation: Operation): Generator<void, CompiledSchemas> {
    const slice = sliceDocument(this.#document, operation, this.#directed);
    const { responses, ...request } = operationOf(slice, operation);
    const requestReach = yield* this.#addComponents('request', request);
    const responseReach = yield* this.#addComponents('response', { responses });
    yield* this.#linked.request.compile(requestReach.references);
    yield* this.#linked.response.compile(responseReach.references);

    const { apiDoc, apiDocRes } = this.#preprocess(slice);
    this.#operations += 1;
    return {
      requests: yield* this.#compileRequests(operation, operationOf(apiDoc, operation)),
      requestCheapBytes: requestReach.cheapBytes,
      violations: this.#violations,
      responses: yield* this.#compileResponses(operationOf(apiDocRes, operation)),
      responseCheapBytes: responseReach.cheapBytes,
    };
  }

  *#compileRequests({ path, requestBody }: Operation, schema: SlicedOperation) {
    const bodies = Object.values(schema.requestBody?.content ?? {});
    yield* this.#compileParts('request', [...schema.parameters, ...bodies]);
    const checks = new Map<string | undefined, readonly Check[]>();
    for (const mediaType of [undefined, ...Object.keys(requestBody?.content ?? {})]) {
      if (mediaType === undefined && requestBody?.required === true) continue;
      const key = `${String(this.#operations)} ${mediaType ?? 'no body'}`;
      const contentType = ContentType.fromString(mediaType === undefined ? '' : sliceMediaType(mediaType));
      this.#requests.buildMiddleware(path, schema, contentType, key);
      checks.set(mediaType, [
        this.#requests.ajv.getSchema(key) as Check,
        this.#requests.ajvBody.getSchema(key) as Check,
      ]);
      yield;
    }
    return checks;
  }

  *#compileResponses({ responses }: SlicedOperation) {
    const checks: Record<string, Readonly<Record<string, Check>>> = {};
    for (const [status, response] of Object.entries(responses)) {
      yield* this.#compileParts('response', Object.values(response.content ?? {}));
      Object.assign(checks, this.#responses.buildValidators({ [status]: response }, String(this.#operations)));
      yield;
    }
    return checks;
  }

  /** Compiles the large parts of an operation's own schemas. */
  *#compileParts(direction: Direction, holders: readonly { readonly schema: unknown }[]): Generator<void, void> {
    const linked = this.#linked[direction];
    for (const { schema } of holders) yield* linked.compile([linked.addParts(schema)]);
  }

  /** Adds the components that a part of an operation refers to. */
  *#addComponents(direction: Direction, root: unknown): Generator<void, Reach> {
    const cost = findCost(root);
    const references = new Set(cost.references);
    // The set grows in the loop.
    for (const reference of references) {
      const known = this.#components.get(reference);
      const component = known ?? this.#readComponent(reference);
      if (known === undefined) this.#components.set(reference, component);
      this.#linked[direction].add(reference, component[direction]);
      for (const next of component.cost.references) references.add(next);
      yield;
    }
    return followReferences(cost, (reference) => (this.#components.get(reference) as Component).cost); // Just added.
  }

  #readComponent(reference: string): Component {
    const name = /^#\/components\/schemas\/([^/]+)$/.exec(reference)?.[1] ?? '';
    const { schemas } = this.#directed;
    if (!Object.hasOwn(schemas, name)) throw new Error(`can't resolve reference ${reference}`);
    const schema = copySchema(schemas[name]);
    const { info } = this.#document;
    // The preprocessor would replace a component that is a $ref.
    const components = { schemas: { [name]: { allOf: [schema] } } };
    const { apiDoc, apiDocRes } = this.#preprocess({
      openapi: sliceVersion(this.#document),
      info,
      paths: {},
      components,
    });
    const [request, response] = [apiDoc, apiDocRes].map((side) => side.components?.['schemas']?.[name] as AllOf);
    return { cost: findCost(schema), request: request?.allOf[0], response: response?.allOf[0] };
  }

  /** Applies `readOnly` and `writeOnly` to a document, in place, and to a copy for responses. */
  #preprocess(document: ContractDocument): ReturnType<Preprocessor['preProcess']> {
    this.#preprocessor.apiDoc = document;
    return this.#preprocessor.preProcess();
  }
}

type Direction = 'request' | 'response';
type AllOf = { readonly allOf: readonly unknown[] } | undefined;

/** A schema of the document's components, as it applies to requests and to responses. */
type Component = Readonly<Record<Direction, unknown>> & { readonly cost: CheckCost };

type Preprocessor = {
  apiDoc: ContractDocument;
  readonly preProcess: () => { readonly apiDoc: ContractDocument; readonly apiDocRes: ContractDocument };
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
  readonly buildValidators: (responses: object, key: string) => CompiledSchemas['responses'];
};

type WithSchema = { readonly schema: unknown };
type Content = Readonly<Record<string, WithSchema>>;
type SlicedOperation = {
  readonly parameters: readonly WithSchema[];
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
};

function operationOf({ paths }: ContractDocument, { path }: Operation): SlicedOperation {
  return paths?.[path]?.[SLICE_METHOD] as SlicedOperation; // The slice contains this operation.
}
