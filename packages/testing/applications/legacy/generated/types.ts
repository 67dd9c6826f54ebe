// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
export interface paths {
    "/accounts/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put: {
            parameters: {
                query?: {
                    dryRun?: boolean;
                };
                header?: never;
                path: {
                    id: bigint;
                };
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            responses: {
                /** @description The account. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Account"];
                    };
                };
                "4XX": components["responses"]["Failure"];
                "5XX": components["responses"]["Failure"];
            };
        };
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
        Named: {
            name: string;
        };
        Account: components["schemas"]["Named"] & {
            /** Format: double */
            balance?: number;
            note?: string | null;
            /** Format: int32 */
            level?: number;
            /** Format: int64 */
            owner?: bigint | null;
            /** Format: date */
            since?: string;
        };
        "Account.received": components["schemas"]["Named"] & {
            /** Format: double */
            balance?: number;
            note?: string | null;
            /**
             * Format: int32
             * @default 1
             */
            level: number;
            /** Format: int64 */
            owner?: bigint | null;
            /** Format: date */
            since?: string;
        };
    };
    responses: {
        /** @description The request has failed. */
        Failure: {
            headers: {
                [name: string]: unknown;
            };
            content: {
                "application/json": {
                    /** Format: int32 */
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
    putAccount: {
        security: "required";
        parameters: {
            query: {
                dryRun: boolean;
            };
            header?: never;
            path: {
                id: bigint;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Account.received"];
            };
        };
        responses: {
            /** @description The account. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Account"];
                };
            };
            "4XX": components["responses"]["Failure"];
            "5XX": components["responses"]["Failure"];
        };
    };
}

/** The operations that the service has. */
export type OperationId =
  | "putAccount";

/** The security schemes that the application checks. */
export type UncheckedScheme = never;

/** The bodies of failures, by the name of their schema. */
export interface failures {
  "Failure": { mediaType: "application/json"; schema: operations["putAccount"]["responses"]["4XX"]["content"]["application/json"] };
}
