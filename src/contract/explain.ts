import { augmentAjvErrors } from 'express-openapi-validator/dist/middlewares/util.js';

/** A problem that Ajv has found. */
export type AjvProblem = NonNullable<Parameters<typeof augmentAjvErrors>[0]>[number];

const MAX_PROBLEMS = 10;
const MAX_PLACE_LENGTH = 200;

/** Says what to mend, with the places named as in the document: "body/id must be integer". The first ten problems. */
export function explain(problems: readonly AjvProblem[]): string {
  return augmentAjvErrors(problems.slice(0, MAX_PROBLEMS))
    .map(({ instancePath, message = '' }) => `${placeOf(instancePath)} ${message}`)
    .join(', ');
}

function placeOf(instancePath: string): string {
  if (instancePath === '') return 'request';
  const isLong = instancePath.length > MAX_PLACE_LENGTH;
  return `${instancePath.slice(1, MAX_PLACE_LENGTH)}${isLong ? '…' : ''}`
    .replace(/^params\b/, 'path')
    .replace(/^(header|cookie)s\b/, '$1');
}
