/** A problem found by Ajv. */
export type Problem = { readonly instancePath: string; readonly message?: string };

const MAX_LOCATION_LENGTH = 200;

/** Formats problems for a client, with locations named as in the document: `body/id must be integer`. */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(({ instancePath, message = '' }) => `${formatLocation(instancePath)} ${message}`).join(', ');
}

function formatLocation(instancePath: string): string {
  if (instancePath === '') return 'request';
  const isLong = instancePath.length > MAX_LOCATION_LENGTH;
  return `${instancePath.slice(1, MAX_LOCATION_LENGTH)}${isLong ? '…' : ''}`
    .replace(/^params\b/, 'path')
    .replace(/^(header|cookie)s\b/, '$1');
}
