import type { ContractDocument } from '@contract-first/contract';

const TEXTS = ['title', 'summary', 'description', 'externalDocs', '$comment'];
const LITERALS = ['default', 'enum', 'const', 'example', 'examples', 'security'];
// The names of their members come from the document.
const MAPS = new Set(
  `properties patternProperties dependentSchemas dependentRequired $defs definitions mapping schemas parameters
  requestBodies responses headers securitySchemes scopes links callbacks paths pathItems webhooks
  additionalOperations content mediaTypes encoding variables`.split(/\s+/),
);

/** Returns a document without its texts for people, which neither the engine nor the contract checks read. */
export function withoutTexts(document: ContractDocument): ContractDocument {
  const { title, version } = document.info;
  return { ...(strip(document, false) as ContractDocument), info: { title, version } }; // The members of an object are kept.
}

function strip(node: unknown, isMap: boolean): unknown {
  if (Array.isArray(node)) return node.map((element) => strip(element, false));
  if (typeof node !== 'object' || node === null) return node;
  const members = Object.entries(node).filter(([name]) => isMap || !TEXTS.includes(name));
  const isLiteral = (name: string): boolean => !isMap && (LITERALS.includes(name) || name.startsWith('x-'));
  return Object.fromEntries(
    members.map(([name, value]) => [name, isLiteral(name) ? value : strip(value, !isMap && MAPS.has(name))]),
  );
}
