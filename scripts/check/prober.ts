import type { ApiOperation } from './api-operation.ts';
import type { Case } from './case.ts';
import { checksFor, complaintsAbout, type CheckName, type Complaint } from './checks.ts';
import { caseOf } from './coverage.ts';
import { NoAnswer, type Answer, type Connection } from './exchange.ts';
import type { Oracle } from './oracle.ts';
import { simplerThan } from './variants.ts';
import type { WireRequest } from './wire-request.ts';

/** A check that failed, with the simplest request that was found to make it fail. */
export type Failure = Complaint & {
  readonly operationId: string;
  readonly request: WireRequest;
  /** `undefined` when there was none. */
  readonly answer: Answer | undefined;
  readonly seed: number;
};

export type ProberOptions = {
  readonly connection: Connection;
  /** Of the schemas for requests. */
  readonly requestOracle: Oracle;
  /** Of the schemas for responses. */
  readonly responseOracle: Oracle;
  readonly token: string | undefined;
  readonly seed: number;
  /** By `performance.now()`: nothing is tried any more then. */
  readonly deadline: number;
  readonly onRequest: () => void;
};

/** Sends cases of one operation and keeps what fails: each check at most once. */
export type Prober = {
  readonly failures: readonly Failure[];
  /** The checks that had anything to look at. */
  readonly checked: ReadonlySet<CheckName>;
  /** Sends a case. Complaints that were recorded before are left out. */
  readonly probe: (sent: Case) => Promise<readonly Complaint[]>;
  /** Records that a case fails a check, after making it as simple as it gets. */
  readonly record: (check: CheckName, found: Case) => Promise<void>;
  readonly isOver: () => boolean;
};

/** A prober for one operation. */
export function createProber(operation: ApiOperation, options: ProberOptions): Prober {
  const { connection, requestOracle, responseOracle, token, seed, deadline, onRequest } = options;
  const { operationId } = operation;
  const failures: Failure[] = [];
  const checked = new Set<CheckName>();
  let isGone = false;
  const isOver = (): boolean => isGone || performance.now() >= deadline;

  return {
    failures,
    checked,
    isOver,
    async probe(sent) {
      for (const check of checksFor(sent.kind)) checked.add(check);
      const { complaints } = await exchange(sent);
      return complaints.filter(({ check }) => !failures.some((failure) => failure.check === check));
    },
    async record(check, found) {
      const { request } = await simplify(check, found);
      const { answer, complaints } = await exchange({ ...found, request });
      const repeated = complaints.find((complaint) => complaint.check === check);
      const message = repeated?.message ?? 'failed, but not when the request was sent again';
      failures.push({ check, message, operationId, request, answer, seed });
    },
  };

  async function simplify(check: CheckName, found: Case): Promise<Case> {
    for (const input of found.input === undefined ? [] : simplerThan(found.input)) {
      const simpler = caseOf(operation, requestOracle, input, token);
      if (simpler?.kind !== found.kind) continue;
      if (isOver()) break;
      const { complaints } = await exchange(simpler);
      if (complaints.some((complaint) => complaint.check === check)) return simplify(check, simpler);
    }
    return found;
  }

  async function exchange(sent: Case): Promise<{ answer: Answer | undefined; complaints: readonly Complaint[] }> {
    onRequest();
    try {
      const answer = await connection.send(sent.request);
      return { answer, complaints: complaintsAbout({ operation, sent, answer, oracle: responseOracle }) };
    } catch (error) {
      if (!(error instanceof NoAnswer)) throw error;
      isGone ||= error.isUnreachable;
      return {
        answer: undefined,
        complaints: [{ check: 'not_a_server_error', message: `no answer: ${error.message}` }],
      };
    }
  }
}
