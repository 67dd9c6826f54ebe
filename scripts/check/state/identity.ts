import { stringifyJson } from '../../../src/engine/contract/json.ts';
import type { ApiOperation, ResponseLink } from '../api-operation.ts';
import { headerOf } from '../conformance.ts';
import { decode, readingsOf } from '../parameter-text.ts';
import type { Run } from '../run.ts';
import type { SchemaDocument } from '../../values/dialect.ts';
import { isScalar, partAt, type Json } from '../../values/json-value.ts';
import { scalarTypesOf } from '../../values/schema-merge.ts';
import { type ItemPath, parameterNames, shapeOf } from './item-path.ts';
import { evaluate } from './runtime-expression.ts';
import { propertyOf } from './schema-property.ts';
import type { Step } from './send.ts';

/** A resource that a response tells of: the values of the parameters of its path, in their order. */
export type Identity = { readonly source: string; readonly values: readonly Json[] };

/**
 * Returns where a created resource is: by the links of the response, its `Location`, its members, or the path of the
 * request. Several sources may tell the same, or contradict each other.
 */
export function identitiesIn(step: Step, item: ItemPath, run: Run, operations: readonly ApiOperation[]): Identity[] {
  const { operation, json, testCase } = step;
  const own = pathValues(step);
  if (shapeOf(operation.path) === shapeOf(item.path)) return [{ source: 'the path', values: own }];
  const told = [fromLinks(step, item, operations), fromLocation(step, item, run)].filter((one) => one !== undefined);
  const name = identityMember(operation, item, run);
  const value = name === undefined ? null : partAt(json ?? null, [name]);
  // The name of a member is less certain.
  const found =
    told.length > 0 || value === null ? told : [{ source: `the member ${String(name)}`, values: [...own, value] }];
  const parameter = item.read?.parameters.find((one) => one.in === 'path' && one.name === item.parameter);
  const isAllowed = (last: Json | undefined): boolean =>
    last !== undefined && isScalar(last) && (!parameter || run.requestOracle.allows(parameter.schema, last));
  const isWhole = ({ values }: Identity): boolean => values.length === parameterNames(item.path).length;
  const whole = found.filter(isWhole);
  return testCase.input === undefined ? [] : whole.filter(({ values }) => isAllowed(values.at(-1)));
}

/** Returns the text of an id, which may be a number in one place and a text in another. */
export function idText(id: Json | undefined): string {
  return typeof id === 'string' ? id : stringifyJson(id);
}

/** Returns whether two resources of a path are the same one. */
export function isSameResource(one: readonly Json[], other: readonly Json[]): boolean {
  return one.length === other.length && one.every((id, index) => idText(id) === idText(other[index]));
}

/** Returns the values of the path parameters of a request, in their order. */
export function pathValues({ operation, testCase }: Step): readonly Json[] {
  const sent = testCase.input?.parameters ?? [];
  return parameterNames(operation.path).flatMap(
    (name) => sent.find(({ parameter }) => parameter.in === 'path' && parameter.name === name)?.value ?? [],
  );
}

/** Returns the member of a response that the last parameter of a path is about, if the types agree. */
export function identityMember(operation: ApiOperation, item: ItemPath, run: Run): string | undefined {
  const schemas = run.responseSchemas;
  const contents = Object.entries(operation.responses).flatMap(([status, { contents }]) =>
    status.startsWith('2') ? contents : [],
  );
  const typesOf = (name: string): readonly string[] => {
    const properties = contents.map(({ schema }) => propertyOf(schemas, schema, name));
    return properties.flatMap((property) => (property === undefined ? [] : scalarTypesOf(schemas, property)));
  };
  return memberNames(item.parameter).find((name) =>
    typesOf(name).some((type) => parameterTypes(item, run.requestSchemas).includes(type)),
  );
}

/** Lists the names that a member may have that a parameter is about, the most exact first. */
function memberNames(parameter: string): readonly string[] {
  const snake = parameter.replaceAll(/([a-z\d])([A-Z])/g, '$1_$2').toLowerCase();
  const camel = snake.replaceAll(/[_-](\w)/g, (_whole, letter: string) => letter.toUpperCase());
  const [, kind] = /(?:^|_)(id|uuid|guid|key|slug|code|name|number)$/.exec(snake.replaceAll('-', '_')) ?? [];
  return [...new Set([parameter, camel, snake, ...(kind === undefined || kind === 'name' ? [] : [kind])])];
}

function parameterTypes(
  { read, remove, replace, patch, parameter }: ItemPath,
  schemas: SchemaDocument,
): readonly string[] {
  const operation = read ?? remove ?? replace ?? patch;
  const { schema = true } = operation?.parameters.find((one) => one.in === 'path' && one.name === parameter) ?? {};
  const types = scalarTypesOf(schemas, schema);
  return types.includes('number') ? [...types, 'integer'] : types;
}

/** Lists the names that the identifying member of a resource may have: the one that a link uses, or those of the parameter. */
export function identifyingMembers(item: ItemPath, operations: readonly ApiOperation[]): readonly string[] {
  const links = Object.values(item.create?.responses ?? {}).flatMap((response) => response.links);
  const linked = links.flatMap((link) => {
    const target = operations.find((one) => isTarget(one, link));
    if (target === undefined || shapeOf(target.path) !== shapeOf(item.path)) return [];
    const name = parameterNames(target.path).at(-1) ?? '';
    const expression = link.parameters?.[name] ?? link.parameters?.[`path.${name}`];
    const [, member] = /^\$response\.body#\/([^/]+)$/.exec(typeof expression === 'string' ? expression : '') ?? [];
    return member ?? [];
  });
  return [...new Set([...linked, ...memberNames(item.parameter)])];
}

/** Follows the links to operations on the path. */
function fromLinks(step: Step, item: ItemPath, operations: readonly ApiOperation[]): Identity | undefined {
  const { operation, response } = step;
  const digit = String(response.status).charAt(0);
  const documented = operation.responses[response.status] ?? operation.responses[`${digit}XX`];
  for (const link of documented?.links ?? []) {
    const target = operations.find((one) => isTarget(one, link));
    if (target === undefined || shapeOf(target.path) !== shapeOf(item.path)) continue;
    const own = new Map(parameterNames(operation.path).map((name, index) => [name, pathValues(step)[index]]));
    const values = parameterNames(target.path).map((name) => {
      const expression = link.parameters?.[name] ?? link.parameters?.[`path.${name}`];
      return expression === undefined ? own.get(name) : evaluate(expression, step);
    });
    const known = values.filter((value) => value !== undefined);
    if (known.length === values.length) return { source: 'a link', values: known };
  }
  return undefined;
}

function isTarget({ operationId, template, method }: ApiOperation, link: ResponseLink): boolean {
  if (link.operationId !== undefined) return link.operationId === operationId;
  const place = `${template.replaceAll('~', '~0').replaceAll('/', '~1')}/${method.toLowerCase()}`;
  return decodeURI(link.operationRef ?? '') === `#/paths/${place}`;
}

/** Reads the header `Location`, if it is about the path. */
function fromLocation({ operation, request, response }: Step, item: ItemPath, run: Run): Identity | undefined {
  const location = headerOf(response, 'location');
  if (location === undefined || operation.method === 'GET') return undefined;
  const base = `http://server${request.target.split('?')[0] ?? ''}`;
  const path = URL.parse(location, base)?.pathname;
  const pattern = shapeOf(item.path)
    .replaceAll(/[$()*+.?[\\\]^|]/g, '\\$&')
    .replaceAll('{}', '([^/]+)');
  const [, ...texts] = new RegExp(`^${pattern}$`).exec(path ?? '') ?? [];
  if (texts.length === 0) return undefined;
  const parameters = (item.read ?? item.remove ?? item.replace)?.parameters ?? [];
  const values = parameterNames(item.path).map((name, index) => {
    const schema = parameters.find((parameter) => parameter.in === 'path' && parameter.name === name)?.schema;
    const text = decode(texts[index] ?? '');
    return readingsOf(text).find((reading) => isScalar(reading) && run.requestOracle.allows(schema, reading)) ?? text;
  });
  return { source: 'Location', values };
}
