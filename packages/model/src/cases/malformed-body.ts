import type { BodyBytes } from '../operations/body-bytes.ts';
import type { CaseKind } from './case.ts';

/** A body with a fault, which every server must reject if it is decided that it is one. */
export type MalformedBody = BodyBytes & {
  readonly kind: Extract<CaseKind, 'negative' | 'undecided'>;
  readonly fault: string;
  /** Describes all such faults; by default, the fault. */
  readonly group?: string;
};
