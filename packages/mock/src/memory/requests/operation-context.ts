import type { Operation } from '@contract-first/contract';
import type { AnyReply } from '@contract-first/engine/tools';
import type { ApiOperation } from '@contract-first/model/operations';
import type { JsonObject } from '@contract-first/model/values';
import type { Respond } from '../../responses/respond.ts';
import type { Identifiers } from '../resources/identifiers.ts';
import type { Model } from '../resources/model.ts';
import type { Cursors } from '../resources/page.ts';
import type { Fail, MockRequest } from '../reply.ts';
import type { Resource } from '../resources/resources.ts';
import type { ResourceStore } from '../state/store.ts';

/** An operation on a resource, with the dependencies of its handler. */
export type OperationContext = {
  readonly resource: Resource;
  readonly operation: ApiOperation;
  readonly documented: Operation;
  readonly model: Model;
  readonly store: ResourceStore;
  readonly identifiers: Identifiers;
  readonly cursors: Cursors;
  /** Returns the user of a single resource such as `/user`, to whom new resources belong. */
  readonly account: () => JsonObject | undefined;
  /** Returns the time of the next change. It depends only on the number of changes, so that responses are repeatable. */
  readonly now: () => number;
  /** Responds with generated values and the given changes. */
  readonly respond: Respond;
  readonly fail: Fail;
};

/** Responds to a request; returns `undefined` if the document has no response for the case. */
export type Handle = (scope: OperationContext, request: MockRequest) => AnyReply | undefined;
