/** A problem that Ajv has found. */
export type Problem = { readonly instancePath: string; readonly message?: string };

const MAX_PLACE_LENGTH = 200;

/** Says what to mend, with the places named as in the document: "body/id must be integer". */
export function formatProblems(problems: readonly Problem[]): string {
  return problems.map(({ instancePath, message = '' }) => `${placeOf(instancePath)} ${message}`).join(', ');
}

function placeOf(instancePath: string): string {
  if (instancePath === '') return 'request';
  const isLong = instancePath.length > MAX_PLACE_LENGTH;
  return `${instancePath.slice(1, MAX_PLACE_LENGTH)}${isLong ? '…' : ''}`
    .replace(/^params\b/, 'path')
    .replace(/^(header|cookie)s\b/, '$1');
}
