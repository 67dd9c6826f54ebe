import { pageAddress } from '@contract-first/command-line/reports';
import type { Change } from '../change.ts';

/** Rules with the same subject, which share a page. */
export type RuleFamily = {
  /** The name of the page of the family. */
  readonly name: string;
  readonly title: string;
  /** Matches the names of its rules. */
  readonly rules: RegExp;
  /** The consequence for clients. */
  readonly why: string;
  /** A change that breaks clients, as a diff of the document. */
  readonly example: string;
  readonly fix: string;
};

/** All families. A rule belongs to the first one that matches its name. */
export const RULE_FAMILIES: readonly RuleFamily[] = [
  {
    name: 'sunset',
    title: 'Deprecation and sunset',
    rules: /sunset|deprecated$|reactivated$/,
    why: 'A sunset is a promise: until that day, clients may use a part. A removal before it, or an earlier day, breaks clients that planned with it.',
    example: '- x-sunset: 2027-06-30\n+ x-sunset: 2026-12-31',
    fix: 'Keep the day, and the part until then.',
  },
  {
    name: 'policy',
    title: 'Version and policy',
    rules: /^(?:api-(?:major-)?version-|ignore-entry-)/,
    why: 'Clients read `info.version` to learn whether they must change. Entries of the policy that match nothing, or have expired, hide later findings.',
    example: '  info:\n    version: 1.0.0\n  paths:\n-   /pets: …',
    fix: 'Raise `info.version`, by its major part for changes that break clients. Remove the entry of the policy.',
  },
  {
    name: 'security',
    title: 'Security',
    rules: /^api-security-/,
    why: 'Requests with the old credentials get 401 or 403.',
    example: '- security: []\n+ security: [{ bearer: [] }]',
    fix: 'Accept the old credentials beside the new ones, as a second entry of `security`, until clients have changed.',
  },
  {
    name: 'operations',
    title: 'Operations and servers',
    rules: /^(?:api-|endpoint-)/,
    why: 'Requests to a removed operation or base path get 404.',
    example: '  paths:\n    /pets:\n-     get: { operationId: listPets }',
    fix: 'Mark the operation `deprecated`, with `x-sunset`, and remove it after that day. Keep the old server beside the new one.',
  },
  {
    name: 'webhooks',
    title: 'Webhooks and callbacks',
    rules: /^(?:webhook|callback)-/,
    why: 'The service is the client of a webhook: clients wait for requests that no longer come, or lack a body.',
    example: '  webhooks:\n-   petSold: …',
    fix: 'Send the old webhook beside the new one until clients have changed.',
  },
  {
    name: 'parameters',
    title: 'Parameters',
    rules: /request-(?:path-)?parameter(?!-property)/,
    why: 'Requests that were valid are rejected: they lack a parameter that is required now, or have a value that is no longer allowed. A removed parameter is ignored, so results change without an error.',
    example: '  parameters:\n+   - { name: tenant, in: query, required: true }',
    fix: 'Make a new parameter optional, with a default. Allow old values beside new ones.',
  },
  {
    name: 'request-bodies',
    title: 'Request bodies',
    rules: /request/,
    why: 'Requests that were valid are rejected, since a schema of the body allows fewer values, or a property is required now. Wider schemas break nobody.',
    example: '  Pet:\n    properties:\n-     name: { type: string }\n+     name: { type: string, maxLength: 20 }',
    fix: 'Add properties as optional. Keep the old limits, or add an operation with the new ones.',
  },
  {
    name: 'responses',
    title: 'Responses',
    rules: /response/,
    why: 'Clients read what is no longer sent, or get values that they do not know. Wider schemas break clients here, and narrower ones break nobody.',
    example: '  Pet:\n-   required: [id, name]\n+   required: [id]',
    fix: 'Send the old properties, statuses and media types beside the new ones. Add values of an enum only if clients expect unknown values.',
  },
];

/** Returns the family of a rule. */
export function familyOf(rule: string): RuleFamily {
  const family = RULE_FAMILIES.find(({ rules }) => rules.test(rule));
  if (family === undefined) throw new Error(`the rule ${rule} has no family`);
  return family;
}

/** Returns the address of the page of a rule. */
export function rulePage(rule: string): string {
  return pageAddress(`rules/${familyOf(rule).name}`);
}

/** Returns the addresses of the pages of all findings that may break clients. */
export function pagesOf(changes: readonly Change[]): readonly string[] {
  const findings = changes.flatMap((change) => change.findings).filter(({ level }) => level !== 'INFO');
  return [...new Set(findings.map(({ rule }) => rulePage(rule)))];
}
