// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
export interface paths {
    "/beds": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Lists the beds, a page at a time. */
        get: {
            parameters: {
                query?: {
                    limit?: number;
                    /** @description The cursor of the page before. */
                    after?: components["schemas"]["Id"];
                };
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description A page of beds, and the cursor of the next one unless this is the last. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            beds: components["schemas"]["Bed"][];
                            next?: components["schemas"]["Id"];
                        };
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put?: never;
        /** Creates a bed, once for each key of a caller. */
        post: {
            parameters: {
                query?: never;
                header: {
                    "Idempotency-Key": string;
                };
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewBed"];
                };
            };
            responses: {
                /** @description The new bed. */
                201: {
                    headers: {
                        Location: string;
                        ETag: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Bed"];
                    };
                };
                409: components["responses"]["Failure"];
                422: components["responses"]["Failure"];
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/beds/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        get: {
            parameters: {
                query?: never;
                header?: {
                    "If-None-Match"?: string;
                };
                path: {
                    id: components["schemas"]["Id"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                200: components["responses"]["Bed"];
                /** @description The bed has one of the ETags. */
                304: {
                    headers: {
                        ETag: string;
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                404: components["responses"]["Failure"];
                default: components["responses"]["Failure"];
            };
        };
        /** Replaces a bed, unless it has changed meanwhile. */
        put: {
            parameters: {
                query?: never;
                header: {
                    "If-Match": string;
                };
                path: {
                    id: components["schemas"]["Id"];
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["NewBed"];
                };
            };
            responses: {
                200: components["responses"]["Bed"];
                404: components["responses"]["Failure"];
                412: components["responses"]["Failure"];
                default: components["responses"]["Failure"];
            };
        };
        post?: never;
        /** Removes a bed and its photo. Needs the role of the head gardener. */
        delete: {
            parameters: {
                query?: never;
                header?: {
                    "If-Match"?: string;
                };
                path: {
                    id: components["schemas"]["Id"];
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The bed does not exist any more. */
                204: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content?: never;
                };
                412: components["responses"]["Failure"];
                default: components["responses"]["Failure"];
            };
        };
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/beds/{id}/photo": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        get: operations["getPhoto"];
        /** Stores a photo. Needs the key of the camera, too. */
        put: operations["uploadPhoto"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/export": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** Streams all beds. */
        get: operations["exportBeds"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** Format: int64 */
        Id: bigint;
        NewBed: {
            crop: string;
            /** Format: int32 */
            squareMetres?: number;
        };
        Bed: {
            id: components["schemas"]["Id"];
            crop: string;
            /** Format: int32 */
            squareMetres: number;
        };
        Problem: {
            status: number;
            detail: string;
        };
        "NewBed.received": {
            crop: string;
            /**
             * Format: int32
             * @default 1
             */
            squareMetres: number;
        };
    };
    responses: {
        /** @description The bed. */
        Bed: {
            headers: {
                ETag: string;
                [name: string]: unknown;
            };
            content: {
                "application/json": components["schemas"]["Bed"];
            };
        };
        /** @description The request has failed. */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: {
        id: components["schemas"]["Id"];
    };
    requestBodies: {
        NewBed: {
            content: {
                "application/json": components["schemas"]["NewBed"];
            };
        };
    };
    headers: {
        ETag: string;
        Vary: "Accept";
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    listBeds: {
        parameters: {
            query: {
                limit: number;
                /** @description The cursor of the page before. */
                after?: components["schemas"]["Id"];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description A page of beds, and the cursor of the next one unless this is the last. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        beds: components["schemas"]["Bed"][];
                        next?: components["schemas"]["Id"];
                    };
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    createBed: {
        security: "required";
        parameters: {
            query?: never;
            header: {
                "Idempotency-Key": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBed.received"];
            };
        };
        responses: {
            /** @description The new bed. */
            201: {
                headers: {
                    Location: string;
                    ETag: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Bed"];
                };
            };
            409: components["responses"]["Failure"];
            422: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    getBed: {
        parameters: {
            query?: never;
            header?: {
                "If-None-Match"?: string;
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            200: components["responses"]["Bed"];
            /** @description The bed has one of the ETags. */
            304: {
                headers: {
                    ETag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    replaceBed: {
        security: "required";
        parameters: {
            query?: never;
            header: {
                "If-Match": string;
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewBed.received"];
            };
        };
        responses: {
            200: components["responses"]["Bed"];
            404: components["responses"]["Failure"];
            412: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    removeBed: {
        security: "required";
        parameters: {
            query?: never;
            header?: {
                "If-Match"?: string;
            };
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bed does not exist any more. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            412: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    getPhoto: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The photo. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "image/png": unknown;
                };
            };
            404: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    uploadPhoto: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: components["schemas"]["Id"];
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "image/png": unknown;
            };
        };
        responses: {
            /** @description Stored. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
            404: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    exportBeds: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Every bed, in the order of their ids. */
            200: {
                headers: {
                    Vary?: "Accept";
                    [name: string]: unknown;
                };
                content: {
                    "application/jsonl": components["schemas"]["Bed"][];
                    "text/csv": string;
                };
            };
            /** @description Neither media type is accepted. */
            406: {
                headers: {
                    Vary?: "Accept";
                    [name: string]: unknown;
                };
                content: {
                    "application/problem+json": components["schemas"]["Problem"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
}

/** The operations that the service has. */
export type OperationId =
  | "listBeds"
  | "createBed"
  | "getBed"
  | "replaceBed"
  | "removeBed"
  | "uploadPhoto"
  | "getPhoto"
  | "exportBeds";

/** The security schemes that the application checks. */
export type UncheckedScheme = never;

/** The bodies of failures, by the name of their schema. */
export interface failures {
  "Problem": { mediaType: "application/problem+json"; schema: operations["listBeds"]["responses"]["default"]["content"]["application/problem+json"] };
}
