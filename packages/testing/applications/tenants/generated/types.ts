// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
export interface paths {
    "/health": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["toString"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/constructor": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["constructor"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/__proto__/{tenant}/units": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        get: operations["findUnits"];
        put: operations["replaceUnits"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    tenantAdded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["tenantAdded"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Unit: {
            name: string;
            /** Format: int64 */
            head?: bigint;
            units?: components["schemas"]["Unit"][];
        };
        Error: {
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
    parameters: {
        tenant: string;
    };
    requestBodies: {
        Unit: {
            content: {
                "application/json": components["schemas"]["Unit"];
            };
        };
    };
    headers: never;
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    toString: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description It is well. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": "well";
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    constructor: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": {
                    /** Format: int64 */
                    constructor: bigint;
                    toString?: string | Object["toString"];
                };
            };
        };
        responses: {
            /** @description The same again. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: int64 */
                        constructor: bigint;
                        toString?: string | Object["toString"];
                    };
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    findUnits: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The units. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unit"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    replaceUnits: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path: {
                tenant: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Unit"];
            };
        };
        responses: {
            /** @description The units. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Unit"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    tenantAdded: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: components["requestBodies"]["Unit"];
        responses: {
            /** @description Thank you. */
            204: {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}

/** The operations that the service has. */
export type OperationId =
  | "toString"
  | "constructor"
  | "replaceUnits"
  | "findUnits";

/** The security schemes that the application checks. */
export type UncheckedScheme = never;

/** The bodies of failures, by the name of their schema. */
export interface failures {
  "Error": { mediaType: "application/json"; schema: operations["toString"]["responses"]["default"]["content"]["application/json"] };
}
