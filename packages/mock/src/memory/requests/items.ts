import { InvalidRequest, parameterNames } from '@contract-first/contract';
import type { AnyReply } from '@contract-first/engine/tools';
import { idText, snakeCase } from '@contract-first/model/resources';
import {
  type Described,
  isObject,
  isChangeTime,
  isCreationTime,
  isNumber,
  type Json,
  type JsonObject,
  objectOrEmpty,
  partAt,
  replaceAt,
  timeLike,
} from '@contract-first/model/values';
import { usualStatus } from '../../responses/respond.ts';
import { decodeId, pathValues, pathInCollection, storeCollection, storePath } from '../state/paths.ts';
import { etagOf, failureKey, type MockRequest } from '../reply.ts';
import type { Resource } from '../resources/resources.ts';
import { memberProblems } from '../resources/schema-alternatives.ts';
import type { State } from '../state/store.ts';
import { ownedBy, withAccount } from './account.ts';
import { afterAction } from './actions.ts';
import type { Handle, OperationContext } from './operation-context.ts';
import { applyJsonPatch } from './json-patch.ts';
import { mergePatch, omitFiles, readSent, readSentMembers } from './request-body.ts';

const MAX_SLUG = 80;

/** Creates a resource with the id of the request, or with a new id. */
export const create: Handle = (scope, request) => {
  const { operation, resource, model, store, identifiers, documented, fail } = scope;
  const sent = objectOrEmpty(written(scope, request));
  const collection = storeCollection(resource.item, pathValues(operation.path, request));
  const isTaken = (id: Json): boolean => store.has(pathInCollection(collection, id));
  const schemas = model.idSchemasOf(resource);
  const given = identifiers.idIn(sent, resource.idMembers, schemas);
  const conflict =
    given !== undefined && isTaken(given) ? fail(request, 409, `${idText(given)} exists already`) : undefined;
  if (conflict !== undefined) return conflict;
  const slug = resource.idMembers.some((name) => snakeCase(name) === 'slug') ? slugOf(sent) : undefined;
  const id = given ?? identifiers.next(resource.item.path, schemas, isTaken, slug);
  const generated = created(scope, unwritten(scope, model.sampleMembersOf(resource)));
  const own = { ...ownedBy(scope.account(), generated), ...idsOfParents(scope, request), ...sent };
  const state = model.complete(resource, { ...own, ...withId(resource, id) });
  store.set(pathInCollection(collection, id), state);
  const status = documented.responses['201'] === undefined ? usualStatus(documented) : 201;
  return replyWith(scope, request, state, { status, id });
};

/** Reads a resource. */
export const read: Handle = (scope, request) => {
  const state = existing(scope, request);
  return state === undefined ? missing(scope, request) : replyWith(scope, request, state, {});
};

/** Applies an action, such as `POST /orders/{id}/cancel`. Responds with the resource, if the response has its members. */
export const act: Handle = (scope, request) => {
  const { operation, resource, model, store } = scope;
  const isRepresented = model.isRepresentedBy(operation, resource);
  const state = existing(scope, request);
  if (state === undefined) return isRepresented ? missing(scope, request) : undefined;
  const next = isObject(state) ? afterAction(operation, state) : state;
  if (next !== state) store.set(storePathOf(scope, request), next);
  return isRepresented ? replyWith(scope, request, next, {}) : undefined;
};

/** Replaces a resource, or creates it if 201 is documented. */
export const replace: Handle = (scope, request) => {
  const { resource, model, documented } = scope;
  const sent = written(scope, request);
  const state = existing(scope, request);
  const [id] = idsOf(scope, request).slice(-1);
  const isCreated = state === undefined && id !== '' && (isOnly(resource) || documented.responses['201'] !== undefined);
  if (state === undefined && !isCreated) return missing(scope, request);
  assertMatch(scope, request, state);
  const own = state === undefined ? withId(resource, id ?? null) : idOf(resource, state);
  const kept =
    state === undefined
      ? created(scope, unwritten(scope, { ...model.sampleMembersOf(resource), ...idsOfParents(scope, request) }))
      : changed(scope, unwritten(scope, objectOrEmpty(state)));
  const next = isObject(sent) ? model.complete(resource, { ...kept, ...sent, ...own }) : sent;
  setState(scope, storePathOf(scope, request), next);
  const { 201: creation, ...others } = documented.responses;
  const responses = isCreated && creation !== undefined ? { 201: creation } : others;
  const status = usualStatus(Object.keys(responses).length === 0 ? documented : { ...documented, responses });
  return replyWith(scope, request, next, { status, id });
};

/** Applies a JSON Patch (RFC 6902) or a merge patch (RFC 7396) to a resource. */
export const patch: Handle = (scope, request) => {
  const isJsonPatch = request.contentType?.includes('json-patch') === true;
  const sent = isJsonPatch ? (omitFiles(request.body) ?? null) : written(scope, request);
  return change(scope, request, (state, path) => {
    const patched = isJsonPatch ? afterJsonPatch(scope, state, sent) : afterMergePatch(scope, state, sent);
    if (patched === undefined) return undefined;
    const next = isObject(patched) ? { ...patched, ...idOf(scope.resource, state) } : patched;
    setState(scope, path, next);
    return next;
  });
};

/** Returns the state after a JSON Patch; `undefined` if the patch cannot be applied, or makes a member invalid. */
function afterJsonPatch(scope: OperationContext, state: Json, operations: Json): Json | undefined {
  const { resource, model } = scope;
  const next = applyJsonPatch(state, operations);
  if (next === undefined) return undefined;
  if (!isObject(next) || !isObject(model.sampleOf(resource)))
    return model.allowsValue(resource, next) ? next : undefined;
  const isValid = memberProblems(model.alternativesOf(resource), next).length === 0;
  return isValid ? changed(scope, model.complete(resource, next)) : undefined;
}

/** Returns the state after a merge patch. A null removes a member that must not be null. */
function afterMergePatch(scope: OperationContext, state: Json, sent: Json): Json {
  const { resource, model } = scope;
  if (!isObject(sent)) return sent;
  const merged = mergePatch(changed(scope, objectOrEmpty(state)), sent);
  const kept = Object.entries(merged).filter(
    ([name, member]) =>
      member !== null || memberProblems(model.alternativesOf(resource), { [name]: null }).length === 0,
  );
  return model.complete(resource, Object.fromEntries(kept));
}

/** Removes a resource and its nested resources. */
export const remove: Handle = (scope, request) => {
  return change(scope, request, (state, path) => {
    scope.store.remove(path);
    if (isGenerated(scope.resource)) scope.store.set(path, undefined);
    return state;
  });
};

const INAPPLICABLE = 'the JSON Patch cannot be applied to the resource, or makes a member invalid';

/**
 * Changes an existing resource, if the preconditions hold, and responds with the state from `apply`.
 *
 * @throws {InvalidRequest} if `apply` returns `undefined`, and the document has no 409 or 422
 */
function change(
  scope: OperationContext,
  request: MockRequest,
  apply: (state: Json, path: string) => Json | undefined,
): AnyReply | undefined {
  const state = existing(scope, request);
  if (state === undefined) return missing(scope, request);
  assertMatch(scope, request, state);
  const next = apply(state, storePathOf(scope, request));
  if (next !== undefined) return replyWith(scope, request, next, {});
  const status = ['409', '422'].find((key) => scope.documented.responses[key] !== undefined);
  const failure = status === undefined ? undefined : scope.fail(request, Number(status), INAPPLICABLE);
  if (failure === undefined) throw new InvalidRequest(INAPPLICABLE);
  return failure;
}

/** Returns the state of a resource, which may be generated until it is changed. */
function existing(scope: OperationContext, request: MockRequest): State {
  const { resource, store, model, documented } = scope;
  const path = storePathOf(scope, request);
  if (resource.members !== undefined) {
    const members = store.in(path).map(([segment, state]) => [decodeId(segment), state ?? null] as const);
    const isDeleted = members.length === 0 && store.has(path) && failureKey(documented, 404) !== undefined;
    return isDeleted ? undefined : Object.fromEntries(members);
  }
  if (store.has(path) || !isGenerated(resource)) return store.get(path);
  if (isOnly(resource)) return model.sampleOf(resource);
  const [id = null] = idsOf(scope, request).slice(-1);
  const state = { ...model.sampleMembersOf(resource), ...withId(resource, id) };
  return resource.idMembers.reduce<Json>((value, name) => withAccount(scope.account(), value, [name]), state);
}

/** Creates or changes a resource. A null member of an object of resources is removed, unless it is a valid resource. */
function setState({ resource, model, store }: OperationContext, path: string, state: Json): void {
  const { members } = resource;
  if (members === undefined) {
    store.set(path, state);
    return;
  }
  store.remove(path);
  for (const [id, member] of Object.entries(objectOrEmpty(state)))
    if (member !== null || model.allowsValue(members, null)) store.set(pathInCollection(path, id), member);
}

function storePathOf(scope: OperationContext, request: MockRequest): string {
  return storePath(scope.resource.item, idsOf(scope, request));
}

/**
 * Returns the values of the path parameters of a resource. For a PUT to the collection, the last value is in the body.
 */
function idsOf({ operation, resource, model, identifiers }: OperationContext, request: MockRequest): readonly Json[] {
  const values = pathValues(operation.path, request);
  if (values.length === parameterNames(resource.item.path).length) return values;
  const sent = readSentMembers(request, model.sentPlaceIn(operation, resource));
  return [...values, identifiers.idIn(sent, resource.idMembers, model.idSchemasOf(resource)) ?? ''];
}

function missing(scope: OperationContext, request: MockRequest): AnyReply | undefined {
  return scope.fail(request, 404, `${storePathOf(scope, request)} does not exist`);
}

/** Evaluates the preconditions of a request, if 412 is documented. @throws {PreconditionFailed} if they do not hold */
function assertMatch({ documented }: OperationContext, request: MockRequest, state: State): void {
  if (documented.responses['412'] !== undefined)
    request.assertMatch(state === undefined ? undefined : { etag: etagOf(state) });
}

function replyWith(
  { operation, resource, model, respond }: OperationContext,
  request: MockRequest,
  state: Json,
  { status, id }: { readonly status?: number; readonly id?: Json | undefined },
): AnyReply {
  const place = model.placeIn(operation, resource);
  const body = (generated: Json, { schema }: Described): Json => {
    const { members } = resource;
    if (members !== undefined) return model.representMembers(members, schema, generated, state);
    const part = model.represent(model.schemaAt(schema, place), partAt(generated, place), state);
    return replaceAt(generated, place, part);
  };
  const header = (name: string): readonly Json[] | undefined =>
    name.toLowerCase() === 'location' && id !== undefined ? locationsOf(id) : tagOf(state)(name);
  return respond(request, { ...(status !== undefined && { status }), body, header });

  function locationsOf(id: Json): readonly Json[] | undefined {
    const { read } = resource.item;
    if (read === undefined) return undefined;
    const names = parameterNames(read.path);
    const values = [...pathValues(operation.path, request).slice(0, names.length - 1), id];
    const path = Object.fromEntries(names.map((name, index) => [name, values[index]]));
    const url = request.url(read.operationId, { path });
    return [url, new URL(url).pathname];
  }
}

function tagOf(state: Json) {
  return (name: string): readonly Json[] | undefined => (name.toLowerCase() === 'etag' ? [etagOf(state)] : undefined);
}

/** Returns the resource in a request, without members that only the server writes. */
function written({ operation, resource, model }: OperationContext, request: MockRequest): Json {
  const whole = readSent(request, model.sentPlaceIn(operation, resource));
  if (whole !== undefined && (isObject(whole) ? model.isFree(resource) : model.allowsValue(resource, whole)))
    return whole;
  const sent = objectOrEmpty(whole);
  const holder = model.holderOf(operation, resource);
  if (holder !== undefined) return { [holder]: sent };
  const [names, sample] = [model.writtenBy(operation, resource), model.sampleMembersOf(resource)];
  const isOwn = (name: string): boolean => names.size > 0 && !names.has(name) && Object.hasOwn(sample, name);
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !isOwn(name)));
}

/** Returns the resource members that the requests of an operation do not write. */
function unwritten({ operation, resource, model }: OperationContext, state: JsonObject): JsonObject {
  if (model.isFree(resource)) return {};
  const names = model.writtenBy(operation, resource);
  return Object.fromEntries(Object.entries(state).filter(([name]) => !names.has(name)));
}

/** Sets the times of the creation and of the last change in generated members, and the counts of a new resource to 0. */
function created({ now }: OperationContext, members: JsonObject): JsonObject {
  const isSet = (name: string, value: Json): boolean => isCreationTime(name, value) || isChangeTime(name, value);
  const counts = Object.entries(members).filter(([name, value]) => COUNT.test(snakeCase(name)) && isNumber(value));
  return { ...withTimes(members, isSet, now()), ...Object.fromEntries(counts.map(([name]) => [name, 0])) };
}

/** The names of counts, which are 0 for a new resource. */
const COUNT = /(?:^|_)(?:count|likes|views|followers)$/;

/** Sets the time of the last change. */
function changed({ now }: OperationContext, members: JsonObject): JsonObject {
  return withTimes(members, isChangeTime, now());
}

function withTimes(members: JsonObject, isSet: typeof isChangeTime, instant: number): JsonObject {
  const times = Object.entries(members).filter(([name, value]) => isSet(name, value));
  return { ...members, ...Object.fromEntries(times.map(([name, value]) => [name, timeLike(value, instant)])) };
}

/**
 * Returns the ids of the parents: resource members with the name of a path parameter, with the value of the parameter.
 */
function idsOfParents({ operation, resource, model }: OperationContext, request: MockRequest): JsonObject {
  const values = pathValues(operation.path, request);
  const names = parameterNames(operation.path).map(snakeCase);
  const members = Object.keys(model.sampleMembersOf(resource)).map(
    (member) => [member, names.indexOf(snakeCase(member))] as const,
  );
  return Object.fromEntries(members.flatMap(([member, index]) => (index < 0 ? [] : [[member, values[index] ?? null]])));
}

/** Returns the slug of the title or name of a resource, without accents: `cafe-noir` for `Café noir!`. */
function slugOf(state: JsonObject): string | undefined {
  const text = ['title', 'name'].map((name) => state[name]).find((value) => typeof value === 'string');
  const plain = text
    ?.normalize('NFKD')
    .replaceAll(/[\u0300-\u036f'’]/g, '')
    .normalize('NFC');
  const words = plain?.toLowerCase().match(/[\p{L}\p{M}\p{N}]+/gu);
  return words?.join('-').slice(0, MAX_SLUG).replace(/-$/, '');
}

function withId({ idMembers }: Resource, id: Json): JsonObject {
  return Object.fromEntries(idMembers.map((name) => [name, id]));
}

function idOf({ idMembers }: Resource, state: Json): JsonObject {
  const members = objectOrEmpty(state);
  return Object.fromEntries(
    idMembers.filter((name) => Object.hasOwn(members, name)).map((name) => [name, members[name] ?? null]),
  );
}

/** Returns whether a resource exists with generated members until it is changed. */
function isGenerated(resource: Resource): boolean {
  return isOnly(resource) || resource.alwaysExists === true;
}

/** Returns whether a resource is a singleton, such as `/settings`. */
function isOnly({ item }: Resource): boolean {
  return item.parameter === '';
}
