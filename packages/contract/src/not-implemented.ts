/** Something that the document describes and the application lacks: the request ends with a 501. */
export class NotImplemented extends Error {
  /** @param subject an operationId, or the name of the missing part */
  constructor(subject: string) {
    super(`${subject} is not implemented yet`);
  }
}
