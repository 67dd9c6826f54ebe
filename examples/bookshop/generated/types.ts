// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
export interface paths {
    "/books": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the books of a kind, or all, a page at a time */
        get: {
            parameters: {
                query?: {
                    kind?: components["schemas"]["Kind"];
                    after?: bigint;
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Up to 20 books with larger ids than `after`. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["StoredBook"][];
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        /** Add a book */
        post: operations["addBook"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/books/{bookId}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                bookId: bigint;
            };
            cookie?: never;
        };
        /** Get a book */
        get: operations["getBook"];
        put?: never;
        post?: never;
        /** Remove a book */
        delete: operations["removeBook"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** @enum {string} */
        Kind: "paper" | "ebook";
        StoredBook: {
            /** Format: int64 */
            id: bigint;
            book: components["schemas"]["Book"];
        };
        Book: (WithRequired<components["schemas"]["PaperBook"], "kind"> & {
            /** @enum {string} */
            kind: "paper";
        }) | (WithRequired<components["schemas"]["Ebook"], "kind"> & {
            /** @enum {string} */
            kind: "ebook";
        });
        PaperBook: {
            /** @constant */
            kind: "paper";
            title: components["schemas"]["Title"];
            isbn?: string | null;
            /** Format: int32 */
            grams?: number;
        };
        Title: string;
        Ebook: {
            /** @constant */
            kind: "ebook";
            title: components["schemas"]["Title"];
            /** Format: int64 */
            bytes: bigint;
        };
        Failure: {
            /** Format: int32 */
            status: number;
            message: string;
        };
    };
    responses: {
        /** @description The request has failed. */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Failure"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBooks: {
        security: "required";
        parameters: {
            query: {
                kind?: components["schemas"]["Kind"];
                after: bigint;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Up to 20 books with larger ids than `after`. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredBook"][];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    addBook: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Book"];
                "application/x-www-form-urlencoded": components["schemas"]["PaperBook"];
            };
        };
        responses: {
            /** @description The book, with its id. */
            201: {
                headers: {
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredBook"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getBook: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path: {
                bookId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The book. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["StoredBook"];
                };
            };
            404: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    removeBook: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path: {
                bookId: bigint;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The book does not exist any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            default: components["responses"]["Failure"];
        };
    };
}
type WithRequired<T, K extends PropertyKey> = T extends object ? T & {
    [P in K & keyof T]-?: T[P];
} : T;

/** The operations that the service has. */
export type OperationId =
  | "listBooks"
  | "addBook"
  | "getBook"
  | "removeBook";

/** The security schemes that the application checks. */
export type UncheckedScheme = never;

/** The bodies of failures, by the name of their schema. */
export interface failures {
  "Failure": { mediaType: "application/json"; schema: operations["listBooks"]["responses"]["default"]["content"]["application/json"] };
}
