import { _, Name, type KeywordCxt } from 'ajv';
import namesModule from 'ajv/dist/compile/names.js';
import type { AjvInstance } from './ajv.ts';
import { callSchema } from './evaluated-parts.ts';
import { replaceCode } from './object-keywords.ts';
import { GROUP_KEYWORDS, ONE_OF_GROUPS, splitSchema, type SplitSchema } from './split-schema.ts';
import { defaultExport } from './default-export.ts';

const names = defaultExport(namesModule);

/**
 * Schemas that refer to each other by name. Compiles each schema once and separately, and large schemas in parts. Ajv
 * itself compiles a schema together with its references, and repeats this for each referring schema.
 */
export class LinkedSchemas {
  readonly #ajv: AjvInstance;
  readonly #parts = new Map<string, readonly string[]>();
  readonly #pending = new Set<string>();
  /** The references to the parts that validate large lists and maps. */
  readonly #groups = new WeakMap<object, string>();

  /** @param ajv the instance, whose `$ref` keyword is replaced */
  constructor(ajv: AjvInstance) {
    this.#ajv = ajv;
    ajv.removeKeyword('$ref');
    ajv.addKeyword({
      keyword: '$ref',
      schemaType: 'string',
      before: 'not',
      code: (context) => {
        this.#call(context, context.schema as string); // By `schemaType`.
      },
    });
    ajv.addKeyword({
      keyword: ONE_OF_GROUPS,
      schemaType: 'array',
      trackErrors: true,
      error: { message: 'must match exactly one schema in oneOf' },
      code: checkOneOfGroups,
    });
    // Ajv nests the code for each entry in the code for the previous entry.
    for (const keyword of Object.keys(GROUP_KEYWORDS))
      replaceCode(ajv, keyword, (context, code) => {
        const group = this.#groups.get(context.schema as object); // The value is a list or map.
        if (group === undefined) code(context);
        else this.#call(context, group);
      });
  }

  /** Adds a schema unless the reference is known. Modifies the schema: its large parts become separate schemas. */
  add(reference: string, schema: unknown): void {
    if (this.#parts.has(reference)) return;
    const { parts, groups } = splitSchema(schema);
    this.#addAll(reference, { parts: new Map([...parts, [reference, schema]]), groups });
  }

  /** Adds the large parts of a schema as separate schemas. Modifies the schema. Returns one reference to all parts. */
  addParts(schema: unknown): string {
    const reference = `parts of ${String(this.#parts.size)}`;
    this.#addAll(reference, splitSchema(schema));
    return reference;
  }

  /**
   * Compiles schemas that are not compiled yet, then the schemas that they refer to. Yields after each schema.
   *
   * @param references should be in dependency order
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

  #addAll(reference: string, { parts, groups }: SplitSchema): void {
    this.#parts.set(reference, [...parts.keys()]);
    for (const [name, part] of parts)
      if (this.#ajv.schemas[name] === undefined) this.#ajv.addSchema(part as object, name);
    for (const [holder, group] of groups) this.#groups.set(holder, group);
  }

  #call(context: KeywordCxt, reference: string): void {
    callSchema(context, this.#require(reference));
  }

  /** Returns a schema. Schedules its compilation if necessary. */
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

/** Generates the check of `oneOfGroups`, like Ajv's `oneOf`. A part fails if none or several of its schemas match. */
function checkOneOfGroups(context: KeywordCxt): void {
  const { gen } = context;
  const valid = gen.let('valid', false);
  const isOver = gen.let('over', false);
  const isGroupValid = gen.name('_valid');
  const end = (): void => void gen.assign(valid, false).assign(isOver, true);
  for (const schemaProp of (context.schema as readonly unknown[]).keys())
    gen.if(_`!${isOver}`, () => {
      const group = context.subschema({ keyword: ONE_OF_GROUPS, schemaProp, compositeRule: true }, isGroupValid);
      const isFirst = (): void => {
        gen.assign(valid, true);
        context.mergeEvaluated(group, Name);
      };
      const { errors, vErrors } = names;
      const isSeveral = _`${vErrors}[${errors} - 1].params.passingSchemas !== null`;
      gen.if(
        isGroupValid,
        () => gen.if(valid, end, isFirst),
        () => gen.if(isSeveral, end),
      );
    });
  context.result(
    valid,
    () => {
      context.reset();
    },
    () => {
      context.error(true);
    },
  );
}
