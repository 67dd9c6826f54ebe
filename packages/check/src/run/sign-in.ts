import { randomBytes } from 'node:crypto';
import type { OptionDeclaration, OptionReader } from '@contract-first/command-line/options';
import type { ApiOperation } from '@contract-first/model/operations';
import { type Connection, writeRequest, type WireRequest, type WireResponse } from '@contract-first/model/requests';
import {
  CannotCheck,
  evaluateExpression,
  evaluateWithin,
  type ExpressionSource,
  isScalar,
  type Json,
  membersOf,
} from '@contract-first/model/values';
import { isSuccess } from '../judgement/statuses.ts';
import { assertKnown, type GivenValue, matchesSelection } from './selection.ts';
import { asToken, jsonOf } from './token-sources.ts';

/** The operations that sign in a user of a service that issues its own tokens. */
export type SignInOperations = {
  readonly users: readonly SignedUser[];
  readonly calls: readonly Call[];
  /** An expression for the credentials, such as `Token {$response.body#/user/token}`. */
  readonly token: string;
};

/** The values of a user, which replace `{name}` in calls. */
type UserValues = ReadonlyMap<string, string>;

/** Returns the values of a user: the listed user, or else a new user with each call. */
export type SignedUser = () => UserValues;

type Call = {
  /** The operationId, the path, or method and path. */
  readonly operation: string;
  readonly parameters: Readonly<Record<string, Json>>;
  readonly body: Json | undefined;
};

const EXAMPLE = "{ calls: [{ operation: login, body: { name: '{user}' } }], token: $response.body#/token }";

/** The option with the operations that sign in. */
export const SIGN_IN: OptionDeclaration = {
  name: 'sign-in',
  kind: 'map',
  text: 'operations of the service that sign in its users',
  schema: {
    type: 'object',
    additionalProperties: false,
    required: ['calls', 'token'],
    properties: {
      calls: {
        type: 'array',
        items: {
          type: 'object',
          additionalProperties: false,
          required: ['operation'],
          properties: { operation: { type: 'string' }, parameters: { type: 'object' }, body: {} },
        },
      },
      token: { type: 'string', description: 'An expression, such as $response.body#/token.' },
      users: { type: 'array', items: { type: 'object' } },
    },
  },
};

/** Reads the option `sign-in` of the options file. */
export function readSignIn({
  has,
  membersOf: members,
  placeOf,
  refuse,
  expand,
}: OptionReader): SignInOperations | undefined {
  if (!has('sign-in')) return undefined;
  const place = placeOf('sign-in');
  const given = members('sign-in');
  const calls = given.get('calls');
  const token = given.get('token');
  const users = given.get('users') ?? [];
  const unknown = [...given.keys()].filter((name) => !['calls', 'token', 'users'].includes(name));
  if (
    !isList(calls, isCall) ||
    typeof token !== 'string' ||
    !Array.isArray(users) ||
    !users.every(isUser) ||
    unknown.length > 0
  ) {
    refuse(`${place} must be such as ${EXAMPLE}`);
    return undefined;
  }
  return {
    token,
    users: users.length === 0 ? ['anna', 'ben', 'eve'].map(newUser) : users.map(givenUser),
    calls: calls.map(({ operation, parameters = {}, body }) => ({
      operation,
      parameters: mapTexts(parameters, (text) => expand(text, place)) as Call['parameters'], // The same members.
      body: body === undefined ? undefined : mapTexts(body, (text) => expand(text, place)),
    })),
  };

  function givenUser(user: Readonly<Record<string, string>>): SignedUser {
    const values = new Map(Object.entries(user).map(([name, value]) => [name, expand(value, place)]));
    return () => values;
  }
}

function newUser(name: string): SignedUser {
  return () => new Map([['user', name + randomBytes(4).toString('hex')]]);
}

function isList<Item>(value: unknown, isItem: (item: unknown) => item is Item): value is readonly Item[] {
  return Array.isArray(value) && value.length > 0 && value.every(isItem);
}

function isCall(value: unknown): value is Partial<Call> & Pick<Call, 'operation'> {
  const { operation, parameters, ...others } = Object(value) as Record<string, unknown>; // Any value.
  const hasParameters = parameters === undefined || (typeof parameters === 'object' && parameters !== null);
  return typeof operation === 'string' && hasParameters && Object.keys(others).every((name) => name === 'body');
}

function isUser(value: unknown): value is Readonly<Record<string, string>> {
  return typeof value === 'object' && value !== null && Object.values(value).every((text) => typeof text === 'string');
}

function mapTexts(value: Json, change: (text: string) => string): Json {
  if (typeof value === 'string') return change(value);
  if (isScalar(value) || value === null) return value;
  if (Array.isArray(value)) return value.map((item: Json) => mapTexts(item, change));
  return Object.fromEntries(membersOf(value).map(([name, member]) => [name, mapTexts(member, change)]));
}

/** Credentials of a signed-in user. */
type SignedIn = {
  /** The text to send as credentials. */
  readonly credentials: string;
  /** The parts of the credentials that are secrets. */
  readonly secrets: readonly string[];
};

/**
 * Signs in a user: calls the operations one after the other.
 *
 * @throws {CannotCheck} when an operation is unknown or refuses the call, or the last response has no token
 */
export async function signInUser(
  { calls, token }: SignInOperations,
  user: UserValues,
  operations: readonly ApiOperation[],
  send: Connection['send'],
): Promise<SignedIn> {
  let source = sourceOf(undefined);
  for (const call of calls) {
    const { status, ...response } = await send(writeCall(call, user, operations, source));
    if (!isSuccess(status)) throw new CannotCheck(`sign-in: ${call.operation} got status ${String(status)}`);
    source = sourceOf({ status, ...response });
  }
  const problem = `sign-in: ${token} is not in the response to ${calls.at(-1)?.operation ?? ''}`;
  const embedded = [...token.matchAll(/\{(\$[^}]+)\}/g)].map(([, expression = '']) => expression);
  const secrets = (token.startsWith('$') ? [token] : embedded).map((expression) =>
    asToken(evaluateExpression(expression, source), problem),
  );
  const credentials = evaluateExpression(fill(token, user), source);
  if (typeof credentials !== 'string' || secrets.length === 0) throw new CannotCheck(problem);
  return { credentials, secrets };
}

/**
 * Signs in a user, and sends each call twice. Returns the members of the bodies that were accepted both times, such as
 * a name and its password: they are valid in other requests. A call that creates the user fails the second time.
 */
export async function findValidValues(
  { calls }: SignInOperations,
  user: UserValues,
  operations: readonly ApiOperation[],
  send: Connection['send'],
): Promise<readonly GivenValue[]> {
  const values: GivenValue[] = [];
  let source = sourceOf(undefined);
  for (const call of calls) {
    const request = writeCall(call, user, operations, source);
    const [first, second] = [await send(request), await send(request)];
    const { operation, body = null } = call;
    if (isSuccess(first.status) && isSuccess(second.status))
      for (const [name, value] of membersOf(fillWithin(body, user)))
        values.push({ operation, name: String(name), value: evaluateWithin(value, source) ?? value });
    source = sourceOf(first);
  }
  return values;
}

/** Serializes a call. @throws {CannotCheck} when the operation is unknown, or cannot have these values */
function writeCall(
  call: Call,
  user: UserValues,
  operations: readonly ApiOperation[],
  source: ExpressionSource,
): WireRequest {
  assertKnown(operations, [call.operation]);
  const operation = operations.find((one) => matchesSelection(one, call.operation));
  const [content] = operation?.requestBody?.contents ?? [];
  const evaluate = (value: Json | undefined): Json | undefined =>
    value === undefined ? undefined : evaluateWithin(fillWithin(value, user), source);
  const parameters = (operation?.parameters ?? []).flatMap((parameter) => {
    const value = evaluate(call.parameters[parameter.name]);
    return value === undefined ? [] : [{ parameter, value }];
  });
  const value = evaluate(call.body);
  const body = value === undefined || content === undefined ? undefined : { content, value };
  const request = operation && writeRequest(operation, { parameters, body }, []);
  if (request === undefined) throw new CannotCheck(`sign-in: ${call.operation} cannot be called with these values`);
  return request;
}

/** Replaces `{name}` by the value of a user. */
function fill(text: string, user: UserValues): string {
  return text.replaceAll(/\{(\w+)\}/g, (whole, name: string) => user.get(name) ?? whole);
}

function fillWithin(value: Json, user: UserValues): Json {
  return mapTexts(value, (text) => fill(text, user));
}

/** Returns the source of expressions that read a response. */
function sourceOf(response: WireResponse | undefined): ExpressionSource {
  return {
    url: '',
    method: '',
    status: response?.status ?? 0,
    requestBody: undefined,
    parameter: () => undefined,
    responseHeader: (name) => response?.headers.find(([other]) => other === name)?.[1],
    responseBody: response && jsonOf(response),
  };
}
