/** The keywords that say something about a schema, and nothing about values; `default` is not among them. */
export const ANNOTATIONS = ['title', 'description', 'deprecated', 'externalDocs', 'xml', '$comment', 'summary'];
