import { canCheck } from '../../src/auth/checkable.ts';
import type { Int64Shape } from '../../src/contract/int64.ts';
import type { MediaType, Operation, SecurityScheme } from '../../src/contract/operation.ts';
import { findInt64s } from './int64-shapes.ts';
import type { OpenApiDocument } from './load.ts';
import { dereference, escapePointer } from './reference.ts';

/** What the service needs to know of the document besides the document itself. */
export type Inventory = {
  readonly operations: Readonly<Record<string, Operation>>;
  readonly securitySchemes: Readonly<Record<string, SecurityScheme>>;
  readonly int64Shapes: Readonly<Record<string, Int64Shape>>;
};

/** Something the document asks for that the service could only pretend to do. */
export type Unsupported = { readonly pointer: string; readonly message: string };

type Requirement = Readonly<Record<string, readonly string[]>>;
type Content = Readonly<Record<string, { readonly schema?: unknown }>>;
type RequestBodyObject = { readonly required?: boolean; readonly content: Content };
type ResponseObject = { readonly content?: Content };
type OperationObject = {
  readonly operationId: string;
  readonly security?: readonly Requirement[];
  readonly parameters?: readonly unknown[];
  readonly requestBody?: unknown;
  readonly responses: Readonly<Record<string, unknown>>;
};
type Document = OpenApiDocument & {
  readonly security?: readonly Requirement[];
  readonly paths?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: { readonly securitySchemes?: Readonly<Record<string, unknown>> };
};

const METHODS = ['get', 'put', 'post', 'delete', 'options', 'head', 'patch', 'trace'];
const IDENTIFIER = /^[A-Za-z_$][\w$]*$/;
const JSON_MEDIA_TYPE = /^application\/(?:[\w.+-]+\+)?json$/i;

/** Takes stock of a document that the linter has passed, and names everything in it that cannot be enforced. */
export function takeInventory(contract: OpenApiDocument): { inventory: Inventory; unsupported: Unsupported[] } {
  const document = contract as Document; // The linter has checked this shape.
  const int64s = findInt64s(document);
  const unsupported: Unsupported[] = [];
  const refuse = (pointer: string, message: string): void => void unsupported.push({ pointer, message });

  const operations = listOperations(document).map(({ path, method, pointer, object, pathItem }): Operation => {
    if (!IDENTIFIER.test(object.operationId)) {
      refuse(`${pointer}/operationId`, `"${object.operationId}" is not an identifier: letters, digits, _ and $ only`);
    }
    if ([pathItem['parameters'] ?? [], object.parameters ?? []].flat().length > 0) {
      refuse(pointer, 'parameters are not supported yet');
    }
    const requestBody = dereference(document, object.requestBody) as RequestBodyObject | undefined;
    const responses = Object.entries(object.responses).map(
      ([status, response]) => [status, (dereference(document, response) as ResponseObject).content ?? {}] as const,
    );
    const contents: (readonly [string, Content])[] = [
      ['requestBody', requestBody?.content ?? {}],
      ...responses.map(([status, content]) => [`responses/${status}`, content] as const),
    ];
    for (const [place, content] of contents) {
      for (const mediaType of Object.keys(content).filter((name) => !JSON_MEDIA_TYPE.test(name))) {
        refuse(`${pointer}/${place}`, `media type ${mediaType} is not supported yet, only JSON is`);
      }
    }
    return {
      operationId: object.operationId,
      method: method.toUpperCase(),
      path,
      security: (object.security ?? document.security ?? []).map((requirement) => Object.keys(requirement)),
      ...(requestBody && {
        requestBody: {
          required: requestBody.required ?? false,
          content: mapValues(requestBody.content, ({ schema }): MediaType => {
            const shape = int64s.shapeOf(schema);
            return shape === undefined ? {} : { int64s: shape };
          }),
        },
      }),
      responses: Object.fromEntries(responses.map(([status, content]) => [status, Object.keys(content)])),
    };
  });

  const securitySchemes = mapValues(document.components?.securitySchemes ?? {}, (node, name): SecurityScheme => {
    const { type, scheme } = dereference(document, node) as SecurityScheme;
    const kind: SecurityScheme = scheme === undefined ? { type } : { type, scheme: scheme.toLowerCase() };
    if (!canCheck(kind)) {
      const named = [type, scheme].filter(Boolean).join(' ');
      refuse(`#/components/securitySchemes/${name}`, `the service has no checker for ${named}, only for http bearer`);
    }
    return kind;
  });

  return {
    inventory: {
      operations: Object.fromEntries(operations.map((operation) => [operation.operationId, operation])),
      securitySchemes,
      int64Shapes: int64s.named,
    },
    unsupported,
  };
}

function listOperations(document: Document) {
  return Object.entries(document.paths ?? {}).flatMap(([path, pathItem]) =>
    Object.entries(pathItem)
      .filter(([key]) => METHODS.includes(key))
      .map(([method, object]) => ({
        path,
        method,
        pathItem,
        object: object as OperationObject,
        pointer: `#/paths/${escapePointer(path)}/${method}`,
      })),
  );
}

function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  map: (value: In, key: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]));
}
