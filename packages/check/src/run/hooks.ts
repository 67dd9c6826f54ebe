import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { CannotCheck, type Json } from '@contract-first/model/values';
import type { ApiOperation } from '@contract-first/model/operations';
import type { CaseKind } from '@contract-first/model/cases';
import type { WireRequest, WireResponse } from '@contract-first/model/requests';

/** An operation of the document, as hooks receive it. */
export type HookOperation = { readonly operationId: string; readonly method: string; readonly path: string };

type Awaitable<Value> = Value | Promise<Value>;

/** Functions called during a run: the default export of the `--hooks` module. */
export type Hooks = {
  /** Runs before the first request. */
  readonly setUp?: (server: { readonly url: string }) => Awaitable<void>;
  /** Runs after the last request, even if the run is interrupted. */
  readonly cleanUp?: () => Awaitable<void>;
  /** Returns values that exist on the server, by the names of parameters and body members. */
  readonly values?: (operation: HookOperation) => Readonly<Record<string, Json>>;
  /**
   * Returns a replacement for a generated request, for example with a signature.
   *
   * @param kind the purpose of the request: `positive`, `negative`, `no authentication` and others
   */
  readonly beforeRequest?: (
    request: WireRequest,
    operation: HookOperation,
    kind: CaseKind,
  ) => Awaitable<WireRequest | undefined>;
  /** Checks a response. Returns the reason of a failure, or `undefined`. */
  readonly afterResponse?: (
    response: WireResponse,
    request: WireRequest,
    operation: HookOperation,
    kind: CaseKind,
  ) => Awaitable<string | undefined>;
};

const NAMES = ['setUp', 'cleanUp', 'values', 'beforeRequest', 'afterResponse'] satisfies (keyof Hooks)[];

/** Loads the hooks of a module. @throws {CannotCheck} if the module cannot be loaded or exports no valid hooks */
export async function loadHooks(path: string): Promise<Hooks> {
  const { default: hooks } = (await import(pathToFileURL(resolve(path)).href).catch((error: unknown) => {
    const advice = error instanceof SyntaxError && /\.[jt]s$/.test(path) ? '; a module is named .mts or .mjs' : '';
    throw new CannotCheck(`the hooks ${path} cannot be loaded: ${String(error)}${advice}`, { cause: error });
  })) as { readonly default?: unknown }; // A module namespace is an object.
  if (typeof hooks !== 'object' || hooks === null)
    throw new CannotCheck(`${path} must have a default export, an object with ${NAMES.join(', ')}`);
  const problems = Object.entries(hooks).flatMap(([name, hook]) => {
    if (!(NAMES as readonly string[]).includes(name))
      return [`${path}: ${name} is not a hook; the hooks are ${NAMES.join(', ')}`];
    return typeof hook === 'function' ? [] : [`${path}: ${name} must be a function`];
  });
  if (problems.length > 0) throw new CannotCheck(problems.join('\n'));
  return hooks;
}

/** Calls a hook. @throws {CannotCheck} with the hook's name if it fails */
export async function callHook<Result>(name: keyof Hooks, call: () => Awaitable<Result>): Promise<Result> {
  try {
    return await call();
  } catch (error) {
    throw new CannotCheck(`the hook ${name} failed: ${String(error)}`, { cause: error });
  }
}

/** Converts an operation for hooks. */
export function hookOperation({ operationId, method, template }: ApiOperation): HookOperation {
  return { operationId, method, path: template };
}
