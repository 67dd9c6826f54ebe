import { equalityKey, unescapePointer } from '@contract-first/contract';
import {
  isArray,
  isObject,
  type Json,
  objectOrEmpty,
  partAt,
  type Place,
  removeAt,
  replaceAt,
  sizeOf,
} from '@contract-first/model/values';

// Limited, since a copy of the whole document into itself doubles it.
const MAX_COPIED_SIZE = 100_000;

/**
 * Applies a JSON Patch (RFC 6902). Returns `undefined` if it is not a list, if an operation cannot be applied, or if the
 * patch copies too much.
 */
export function applyJsonPatch(state: Json, operations: Json): Json | undefined {
  if (!isArray(operations)) return undefined;
  const copied = { size: 0 };
  return operations.reduce(
    (patched: Json | undefined, one) => (patched === undefined ? undefined : apply(patched, one, copied)),
    state,
  );
}

/** @param copied counts the size of the copied values */
function apply(state: Json, operation: Json, copied: { size: number }): Json | undefined {
  const { op, path, from, value } = objectOrEmpty(operation);
  if (op === 'add') return add(state, path, value);
  if (op === 'copy' || op === 'move') {
    const source = existingPlace(state, from);
    if (source === undefined) return undefined;
    const part = partAt(state, source);
    if (op === 'copy') copied.size += sizeOf(part);
    if (copied.size > MAX_COPIED_SIZE) return undefined;
    const rest = op === 'copy' ? state : remove(state, source);
    return rest === undefined ? undefined : add(rest, path, part);
  }
  const place = existingPlace(state, path);
  if (place === undefined) return undefined;
  if (op === 'remove') return remove(state, place);
  if (value === undefined) return undefined;
  if (op === 'replace') return replaceAt(state, place, value);
  return op === 'test' && equalityKey(partAt(state, place)) === equalityKey(value) ? state : undefined;
}

/** Adds a member to an object, or inserts an item into an array. */
function add(state: Json, path: Json | undefined, value: Json | undefined): Json | undefined {
  const place = placeOf(state, path);
  if (place === undefined || value === undefined) return undefined;
  const key = place.at(-1);
  if (key === undefined) return value;
  const holder = partAt(state, place.slice(0, -1));
  if (isObject(holder)) return replaceAt(state, place, value);
  const isInside = isArray(holder) && typeof key === 'number' && key <= holder.length;
  return isInside ? replaceAt(state, place.slice(0, -1), holder.toSpliced(key, 0, value)) : undefined;
}

function remove(state: Json, place: Place): Json | undefined {
  return place.length === 0 ? undefined : removeAt(state, place);
}

/** Returns the place of a JSON pointer; `undefined` if the state has no such part. */
function existingPlace(state: Json, pointer: Json | undefined): Place | undefined {
  const place = placeOf(state, pointer);
  const key = place?.at(-1);
  if (place === undefined || key === undefined) return place;
  const holder = partAt(state, place.slice(0, -1));
  const isThere = isArray(holder)
    ? typeof key === 'number' && key < holder.length
    : isObject(holder) && Object.hasOwn(holder, key);
  return isThere ? place : undefined;
}

/** Returns the place of a JSON pointer; `undefined` for other values. `-` is the place after the last item of an array. */
function placeOf(state: Json, pointer: Json | undefined): Place | undefined {
  if (typeof pointer !== 'string' || !/^(?:\/(?:[^/~]|~[01])*)*$/.test(pointer)) return undefined;
  const tokens = pointer.split('/').slice(1).map(unescapePointer);
  return tokens.reduce((place: Place, token) => {
    const holder = partAt(state, place);
    const index = isArray(holder) && token === '-' ? holder.length : Number(token);
    return [...place, isArray(holder) && /^(?:-|0|[1-9]\d*)$/.test(token) ? index : token];
  }, []);
}
