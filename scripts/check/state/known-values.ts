import type { ApiOperation } from '../api-operation.ts';
import { exchange } from '../exchange.ts';
import type { Run } from '../run.ts';
import type { Turn } from '../schedule.ts';
import type { Json } from '../../values/json-value.ts';
import { createInstances, type Absence } from './instances.ts';
import { findItemPaths, parameterNames } from './item-path.ts';
import { requestOf, stepOf, type Send } from './send.ts';
import { createPlainInputs } from './step-input.ts';

/**
 * Creates or finds a resource that an operation is about; returns the values of the first parameters of its path, or why
 * there are none. Its path must have parameters.
 */
export type KnownValues = (operation: ApiOperation, turn: Turn) => Promise<readonly Json[] | Absence>;

// The seeds of the values differ from those of the scenarios, and from one operation to another.
const FIRST_SALT = 1_000;

/** @param operations those that may be used */
export function createKnownValues(operations: readonly ApiOperation[], run: Run): KnownValues {
  const instances = createInstances(findItemPaths(operations), operations, run, createPlainInputs(run));
  return async (operation, turn) => {
    const found = await instances.obtain(operation, sendQuietly(run, turn), FIRST_SALT + operations.indexOf(operation));
    if ('reason' in found) return found;
    return found.values.slice(0, parameterNames(operation.path).length);
  };
}

/** Sends without judging: the requests of an operation are judged by its own task. */
function sendQuietly(run: Run, turn: Turn): Send {
  return async (operation, input, headers = []) => {
    const testCase = requestOf(operation, input, headers, run);
    if (testCase === undefined) return undefined;
    const outcome = await exchange(operation, testCase, run, turn);
    if (outcome.gone !== undefined) throw outcome.gone;
    return stepOf(operation, testCase, outcome);
  };
}
