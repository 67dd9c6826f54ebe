import { parameterNames } from '@contract-first/contract';
import type { ApiOperation } from '../operations/api-operation.ts';
import { CannotCheck } from '../values/oracle.ts';
import { identityPlace, type DocumentSchemas } from './identity-place.ts';
import { itemSchemas, successSchemas } from './list-schema.ts';
import { findCorrected, hasManyResources, servedPathOf, type Correction, type Corrections } from './resource-paths.ts';
import { allPropertiesOf } from '../values/schema-property.ts';

/** Asserts that corrections match a document. @throws {CannotCheck} with all problems */
export function assertCorrections(
  operations: readonly ApiOperation[],
  corrections: Corrections,
  schemas: DocumentSchemas,
): void {
  const problems = [...corrections].flatMap(([template, correction]) =>
    problemsOf(template, correction).map((problem) => `resources: ${template}: ${problem}`),
  );
  if (problems.length > 0) throw new CannotCheck(problems.join('\n'));

  function problemsOf(template: string, correction: Correction | false): readonly string[] {
    if (servedPathOf(template, operations) === undefined) return [unknown(template)];
    if (correction === false) return [];
    const { collection, id } = correction;
    return [
      ...(collection === undefined ? [] : collectionProblems(template, collection)),
      ...(id === undefined ? [] : idProblems(template, correction, id)),
    ];
  }

  function collectionProblems(template: string, collection: string): readonly string[] {
    const methods = operations.filter((one) => one.template === collection).map(({ method }) => method);
    const [own, outer] = [parameterNames(template), parameterNames(collection)];
    if (methods.length === 0) return [unknown(collection)];
    if (!methods.some((method) => ['GET', 'POST'].includes(method)))
      return [`its collection ${collection} has neither GET nor POST; name one that has`];
    if (own.length === outer.length + 1) return [];
    return [`its collection ${collection} must have its parameters but the last one: ${listOf(own.slice(0, -1))}`];
  }

  function idProblems(template: string, correction: Correction, id: string): readonly string[] {
    const item = findCorrected(template, corrections, operations);
    if (item === undefined || !hasManyResources(template, correction))
      return ['it has one resource, which needs no id; leave it out, or add the collection'];
    const { create, read, list } = item;
    const own = [create, read, item.replace, item.patch].filter((one) => one !== undefined);
    const { responseSchemas } = schemas;
    const listed = itemSchemas(list, responseSchemas);
    const properties = [...own.flatMap(successSchemas), ...listed].map((schema) =>
      allPropertiesOf(responseSchemas, schema),
    );
    const names = [...new Set(properties.flatMap((declared) => Object.keys(declared)))];
    const isListed = listed.some((schema) => Object.hasOwn(allPropertiesOf(responseSchemas, schema), id));
    if (isListed || own.some((operation) => identityPlace(operation, item, schemas) !== undefined)) return [];
    return [`no JSON response has the member ${id} of the type of {${item.parameter}}; there are ${listOf(names)}`];
  }

  function unknown(path: string): string {
    const known = new Set(operations.map(({ template }) => template));
    return `${path} is not a path of the document; it has ${listOf([...known])}`;
  }
}

function listOf(names: readonly string[]): string {
  return names.join(', ') || 'none';
}
