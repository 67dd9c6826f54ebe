/** The annotation keywords of schemas, except `default`. */
export const ANNOTATIONS = ['title', 'description', 'deprecated', 'externalDocs', 'xml', '$comment', 'summary'];
