// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
export interface paths {
    "/uploads": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "multipart/form-data": {
                        title: string;
                        /** Format: int64 */
                        owner?: bigint;
                        public?: boolean;
                        labels?: string[];
                        place?: {
                            x?: number;
                            y?: number;
                        };
                        /** Format: binary */
                        cover: Blob;
                        pages?: Blob[];
                    };
                };
            };
            responses: {
                /** @description The uploaded files. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            title: string;
                            /** Format: int64 */
                            owner: bigint | null;
                            sizes: number[];
                        };
                    };
                };
                413: components["responses"]["Failure"];
                default: components["responses"]["Failure"];
            };
        };
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blobs/{name}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    length?: number;
                };
                header?: never;
                path: {
                    name: string;
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The bytes. */
                200: {
                    headers: {
                        "Content-Disposition"?: string;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/octet-stream": string;
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
        put: operations["putBlob"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/archives": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["checkArchive"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["writeNote"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: never;
    responses: {
        /** @description The request has failed. */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    error: number;
                    message: string;
                };
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
    uploadFiles: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    title: string;
                    /** Format: int64 */
                    owner?: bigint;
                    /** @default false */
                    public: boolean;
                    labels?: string[];
                    place?: {
                        x?: number;
                        y?: number;
                    };
                    /** Format: binary */
                    cover: Blob;
                    pages?: Blob[];
                };
            };
        };
        responses: {
            /** @description The uploaded files. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        title: string;
                        /** Format: int64 */
                        owner: bigint | null;
                        sizes: number[];
                    };
                };
            };
            413: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    getBlob: {
        security: "required";
        parameters: {
            query: {
                length: number;
            };
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The bytes. */
            200: {
                headers: {
                    "Content-Disposition"?: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/octet-stream": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    putBlob: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path: {
                name: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/octet-stream": string;
                "image/*": unknown;
            };
        };
        responses: {
            /** @description It is stored. */
            204: {
                headers: {
                    ETag: string;
                    [name: string]: unknown;
                };
                content?: never;
            };
            413: components["responses"]["Failure"];
            default: components["responses"]["Failure"];
        };
    };
    checkArchive: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/zip": string;
                "multipart/form-data": {
                    note?: string;
                    /** Format: binary */
                    archive: Blob;
                };
            };
        };
        responses: {
            /** @description The received archive. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        size: number;
                        sha256: string;
                    };
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    writeNote: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: {
            content: {
                "text/plain": string;
            };
        };
        responses: {
            /** @description The note, as it came. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "text/plain": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
}

/** The operations that the service has. */
export type OperationId =
  | "uploadFiles"
  | "putBlob"
  | "getBlob"
  | "checkArchive"
  | "writeNote";

/** The security schemes that the application checks. */
export type UncheckedScheme = never;

/** The bodies of failures, by the name of their schema. */
export interface failures {
  "Failure": { mediaType: "application/json"; schema: operations["uploadFiles"]["responses"]["413"]["content"]["application/json"] };
}
