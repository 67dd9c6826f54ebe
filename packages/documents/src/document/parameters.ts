import { kindOf, type Parameter, type Shape } from '@contract-first/contract';
import {
  type Document,
  type OperationObject,
  type ParameterObject,
  type PathItem,
  withDefaultStyle,
} from './document.ts';
import { dereference } from './reference.ts';
import type { ShapeFinder } from './shapes.ts';
import { textTypeOf } from './text-types.ts';

/** Returns the parameters of an operation, which override path item parameters with the same name and location. */
export function parametersOf(document: Document, pathItem: PathItem, object: OperationObject): ParameterObject[] {
  const all = [...(pathItem.parameters ?? []), ...(object.parameters ?? [])].map((node) => dereference(document, node));
  const merged = new Map(all.map((parameter) => [`${parameter.in} ${parameter.name}`, parameter]));
  return [...merged].flatMap(([key, parameter]) => (IGNORED_PARAMETERS.test(key) ? [] : [parameter]));
}

/** Matches the parameters that OpenAPI ignores, as `header Accept` (OpenAPI 3.1, 4.8.12.2). */
export const IGNORED_PARAMETERS = /^header (?:accept|content-type|authorization)$/i;

/** Returns the schema of a parameter: its `schema`, or the schema of its only media type. */
export function parameterSchemaOf({ schema, content = {} }: ParameterObject): unknown {
  return schema ?? Object.values(content)[0]?.schema;
}

/** Returns the schema of the parsed value of a parameter or header; `undefined` for unparsed text. */
export function valueSchemaOf(parameter: ParameterObject): unknown {
  const { content } = parameter;
  return content !== undefined && contentStyle(parameter, content) === 'text'
    ? undefined
    : (parameterSchemaOf(parameter) ?? {});
}

/** Converts a parameter for the contract. */
export function planParameter(document: Document, parameter: ParameterObject): Parameter {
  const { name, in: place, content } = parameter;
  const { style, explode } = withDefaultStyle(parameter);
  const type = textTypeOf(document, parameterSchemaOf(parameter));
  // A string may be empty even without `allowEmptyValue`.
  const mayBeEmpty = place === 'query' && parameter['allowEmptyValue'] === true && !type.scalars.includes('string');
  return {
    name,
    in: place,
    style: content === undefined ? (style as Parameter['style']) : contentStyle(parameter, content), // Validated.
    explode,
    ...(mayBeEmpty && { mayBeEmpty }),
    type,
  };
}

function contentStyle({ in: place }: ParameterObject, content: object): Parameter['style'] {
  const kind = kindOf(Object.keys(content)[0] ?? '');
  if (kind === 'form' && place === 'querystring') return 'form';
  return kind === 'json' ? 'json' : 'text';
}

/**
 * Returns the shape of an operation's parameters, by location; `undefined` if there are no values to convert.
 *
 * @param schemaOfParameter returns the schema of a parameter's value
 */
export function parametersShape(
  parameters: readonly ParameterObject[],
  { shapeOf }: ShapeFinder,
  schemaOfParameter = parameterSchemaOf,
): Shape | undefined {
  const places = Object.groupBy(parameters, ({ in: place }) => (place === 'querystring' ? 'query' : place));
  const properties = Object.entries(places).map(([place, group]) => [
    place,
    { properties: Object.fromEntries(group.map((parameter) => [parameter.name, schemaOfParameter(parameter)])) },
  ]);
  return shapeOf({ properties: Object.fromEntries(properties) as object });
}
