/**
 * Values of schemas: JSON, generated values, and an oracle that validates values.
 *
 * @module @contract-first/model/values
 */

export { type ArbitraryFactory, createArbitraries } from './arbitrary.ts';
export { readSchemas, type JsonSchema, type SchemaDocument, type JsonSchemaObject } from './json-schema.ts';
export { createValues, type Described, type ResponseNode, type Values, type Wanted } from './documented-values.ts';
export { integerOf, isInt64 } from './integers.ts';
export { fromJsonTree, syntaxProblem, toJsonTree } from './json-tree.ts';
export {
  isArray,
  isObject,
  isNumber,
  isScalar,
  type Json,
  type JsonArray,
  type JsonObject,
  membersOf,
  objectOrEmpty,
  partAt,
  type Place,
  placesOf,
  removeAt,
  replaceAt,
} from './json-value.ts';
export type { NamedExamples } from './named-examples.ts';
export { tryGenerate, filtered, NoValue, TooLarge, TooSlow } from './generation-failure.ts';
export { CannotCheck, createOracle, type Oracle, type SchemaViolation } from './oracle.ts';
export { isChangeTime, isCreationTime, timeLike } from './realistic-values.ts';
export { evaluateExpression, evaluateWithin, type ExpressionSource } from './runtime-expression.ts';
export { mergeAllOf } from './schema-merge.ts';
export { allPropertiesOf, propertiesOf, propertyOf, requiredBy } from './schema-property.ts';
export { uuidOf } from './uuid.ts';
export { sizeOf, sizeOfText } from './value-size.ts';
