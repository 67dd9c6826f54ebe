// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
export interface paths {
    "/books": {
        parameters: {
            query?: {
                after?: string;
            };
            header?: {
                "X-Shop"?: string;
            };
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    after?: bigint;
                    genre?: components["schemas"]["Genre"][];
                    price?: {
                        min?: number;
                        max?: number;
                    };
                    available?: boolean;
                };
                header?: {
                    "X-Shop"?: string;
                };
                path?: never;
                cookie?: {
                    currency?: "EUR" | "GBP";
                };
            };
            requestBody?: never;
            responses: {
                /** @description A page of books. */
                200: {
                    headers: {
                        "X-Total": number;
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
        post: {
            parameters: {
                query?: {
                    after?: string;
                };
                header?: {
                    "X-Shop"?: string;
                };
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
        get: operations["getBook"];
        put?: never;
        post?: never;
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
        Genre: "novel" | "poetry" | "non-fiction";
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
        Error: {
            /** Format: int32 */
            error: number;
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
                "application/json": components["schemas"]["Error"];
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
                after: bigint;
                genre?: components["schemas"]["Genre"][];
                price?: {
                    min?: number;
                    max?: number;
                };
                available?: boolean;
            };
            header: {
                "X-Shop": string;
            };
            path?: never;
            cookie?: {
                currency?: "EUR" | "GBP";
            };
        };
        requestBody?: never;
        responses: {
            /** @description A page of books. */
            200: {
                headers: {
                    "X-Total": number;
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
            query?: {
                after?: string;
            };
            header: {
                "X-Shop": string;
            };
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
            /** @description It is gone. */
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
  "Error": { mediaType: "application/json"; schema: operations["listBooks"]["responses"]["default"]["content"]["application/json"] };
}
