/** The annotation keywords of schemas, except `default`. */
export const ANNOTATION_KEYWORDS = ['title', 'description', 'deprecated', 'externalDocs', 'xml', '$comment', 'summary'];
