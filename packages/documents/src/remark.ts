/** A message about a part of the document. */
export type Remark = { readonly pointer: string; readonly message: string };
