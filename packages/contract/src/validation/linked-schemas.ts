import { callRef, getValidate } from 'ajv/dist/vocabularies/core/ref.js';
import type { AjvInstance } from './ajv.ts';
import { splitSchema } from './split-schema.ts';

/**
 * Schemas that refer to each other by name. Ajv would compile a schema together with all that it refers to, and again for
 * each schema that refers to it; here, each is compiled once, separately, and a large one in parts.
 */
export class LinkedSchemas {
  readonly #ajv: AjvInstance;
  readonly #parts = new Map<string, readonly string[]>();
  readonly #pending = new Set<string>();

  /** @param ajv the instance, whose `$ref`s then refer to these schemas */
  constructor(ajv: AjvInstance) {
    this.#ajv = ajv;
    ajv.removeKeyword('$ref');
    ajv.addKeyword({
      keyword: '$ref',
      schemaType: 'string',
      before: 'not',
      code: (context) => {
        const target = this.#require(context.schema as string); // Its schemaType.
        callRef(context, getValidate(context, target), target);
      },
    });
  }

  /** Adds a schema, once. It is modified: its large parts become schemas. */
  add(reference: string, schema: unknown): void {
    if (this.#parts.has(reference)) return;
    this.#addAll(reference, splitSchema(schema).set(reference, schema));
  }

  /** Makes schemas of the large parts of another schema, which is modified. Returns a reference to all of them. */
  addParts(schema: unknown): string {
    const reference = `parts of ${String(this.#parts.size)}`;
    this.#addAll(reference, splitSchema(schema));
    return reference;
  }

  /**
   * Compiles schemas that are not compiled yet, then the schemas that they refer to. Yields after each.
   *
   * @param references the targets of other references should come first
   */
  *compile(references: Iterable<string>): Generator<void, void> {
    const parts = Array.from(references, (reference) => this.#parts.get(reference) ?? []).flat();
    for (const part of parts) {
      if (this.#isCompiled(part)) continue;
      this.#compile(part);
      yield;
    }
    for (const reference of this.#pending) {
      this.#compile(reference);
      yield;
    }
  }

  #addAll(reference: string, parts: ReadonlyMap<string, unknown>): void {
    this.#parts.set(reference, [...parts.keys()]);
    for (const [name, part] of parts)
      if (this.#ajv.schemas[name] === undefined) this.#ajv.addSchema(part as object, name);
  }

  /** Returns a schema, which is compiled later if it is not. */
  #require(reference: string) {
    const schema = this.#ajv.schemas[reference];
    if (schema === undefined) throw new Error(`can't resolve reference ${reference}`);
    if (!this.#isCompiled(reference)) this.#pending.add(reference);
    return schema;
  }

  #isCompiled(reference: string): boolean {
    return this.#ajv.schemas[reference]?.validate !== undefined;
  }

  #compile(reference: string): void {
    this.#ajv.getSchema(reference);
    this.#pending.delete(reference);
  }
}
