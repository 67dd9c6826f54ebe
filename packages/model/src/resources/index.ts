/**
 * The resources of a document: their paths, identities, lists and pages.
 *
 * @module @contract-first/model/resources
 */

export { CORRECTIONS, readCorrections } from './corrections.ts';
export { assertCorrections } from './correction-problems.ts';
export {
  type DocumentSchemas,
  identifyingMembers,
  identityPlace,
  idText,
  sentIdentity,
  targetsOperation,
} from './identity-place.ts';
export { collectionOf, innermostItem, type ItemPath, shapeOf, singletonAt } from './item-path.ts';
export { itemIds, itemsIn } from './list-items.ts';
export { findItems, isListById, type Items, itemSchemas, itemsOf, schemaAt, successSchemas } from './list-schema.ts';
export { findPaging, firstOffset, firstPage, isNextPage, isSorting, pagingPlaces } from './paging.ts';
export { isNamedFor, memberNames } from './resource-names.ts';
export { snakeCase } from '../values/snake-case.ts';
export { type Corrections, findResourcePaths, type ResourcePaths } from './resource-paths.ts';
