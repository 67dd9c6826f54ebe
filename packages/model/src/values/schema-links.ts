import { callSchema } from '@contract-first/contract';
import { resolveReference, type OpenApiDocument } from '@contract-first/documents';
import type { Ajv2020, AnySchema } from 'ajv/dist/2020.js';
import type { SchemaEnv } from 'ajv/dist/compile/index.js';

/**
 * Replaces `$ref`: each schema that a document's schemas refer to is compiled once and alone. Ajv compiles a schema
 * with all its references in one call, which takes long and overflows the stack in long chains.
 *
 * @param document returns the document that the references lead into
 * @param id precedes the JSON pointers in the references
 *
 * @returns a function that compiles the references of the schemas that were compiled before, and yields after each
 */
export function separateReferences(
  ajv: Ajv2020,
  document: () => OpenApiDocument,
  id: string,
): () => Generator<void, void> {
  const pending = new Set<string>();
  ajv.removeKeyword('$ref');
  ajv.addKeyword({
    keyword: '$ref',
    schemaType: 'string',
    before: 'not',
    code: (context) => {
      const reference = context.schema as string; // By `schemaType`.
      const target = schemaOf(reference);
      if (target.validate === undefined) pending.add(reference);
      callSchema(context, target);
    },
  });
  return compilePending;

  function schemaOf(reference: string) {
    if (ajv.schemas[reference] === undefined) {
      // Validated document.
      ajv.addSchema(resolveReference(document(), reference.slice(id.length)) as AnySchema, reference);
    }
    return ajv.schemas[reference] as SchemaEnv; // Added before.
  }

  function* compilePending(): Generator<void, void> {
    // The loop also compiles references that are added meanwhile.
    for (const reference of pending) {
      ajv.getSchema(reference);
      pending.delete(reference);
      yield;
    }
  }
}
