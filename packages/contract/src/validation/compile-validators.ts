import type { Operation } from '../operations/operation.ts';
import type { Contract } from '../operations/contract.ts';
import type { CreateAjv } from './ajv.ts';
import { SchemaCompiler, type CompiledSchemas } from './schema-compiler.ts';
import { TimeSlices } from './time-slices.ts';
import { createValidator, type OperationValidator } from './validator.ts';

/** The validators of a contract's operations, compiled on demand. */
export class Validators {
  readonly #compiler: SchemaCompiler;
  /** Shared by all operations, since several can compile within a slice. */
  readonly #slices = new TimeSlices();
  readonly #compiling = new Map<Operation, Promise<OperationValidator>>();

  constructor({ schemas }: Pick<Contract, 'schemas'>, createAjv: CreateAjv) {
    this.#compiler = new SchemaCompiler(schemas, createAjv);
  }

  /**
   * Compiles the validator of an operation without blocking the event loop.
   *
   * @throws {Error} if a schema cannot be compiled, which does not occur in generated contracts
   */
  compile(operation: Operation): Promise<OperationValidator> {
    const compiling = this.#compiling.get(operation) ?? this.#compileInTurns(operation);
    this.#compiling.set(operation, compiling);
    return compiling;
  }

  /** Compiles the validator of an operation synchronously. */
  compileSync(operation: Operation): OperationValidator {
    const steps = this.#compiler.compile(operation);
    for (let step = steps.next(); ; step = steps.next())
      if (step.done === true) return this.#create(operation, step.value);
  }

  async #compileInTurns(operation: Operation): Promise<OperationValidator> {
    return this.#create(operation, await this.#inTurns(this.#compiler.compile(operation)));
  }

  #create(operation: Operation, schemas: CompiledSchemas): OperationValidator {
    return createValidator(operation, schemas, (steps) => this.#inTurns(steps));
  }

  async #inTurns<T>(steps: Generator<void, T>): Promise<T> {
    for (;;) {
      const turn = this.#slices.wait(true);
      if (turn !== undefined) await turn;
      const step = steps.next();
      if (step.done === true) return step.value;
    }
  }
}
