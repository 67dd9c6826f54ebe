// Exports for tools that do not serve anything: none of these modules loads a library. They may change with any version.

export { checkerKindOf, findSchemes } from './auth/supported-scheme.ts';
export { createProgressLine, type ProgressLine } from './import/progress-line.ts';
export { VARIABLES } from './process/variables.ts';
