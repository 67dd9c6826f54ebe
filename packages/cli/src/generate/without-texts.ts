import type { ContractDocument } from '@contract-first/contract';
import { walkDocument } from '@contract-first/documents';

const TEXTS = ['title', 'summary', 'description', 'externalDocs', '$comment'];

/**
 * Returns a document without the texts for people of the objects that hold schemas, and of schemas: neither the engine nor the
 * contract checks read them.
 */
export function withoutTexts(document: ContractDocument): ContractDocument {
  const { title, version } = document.info;
  const copy = structuredClone({ ...document, info: { title, version } });
  walkDocument(copy, ({ node }) => {
    for (const name of TEXTS) Reflect.deleteProperty(node, name);
  });
  return copy;
}
