// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
export interface paths {
    "/orders": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["createOrder"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/orders/{id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: operations["getOrder"];
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
        NewOrder: {
            item: string;
        };
        Order: {
            id: number;
            item: string;
            paid: boolean;
        };
        Failure: {
            status: number;
            detail: string;
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
    createOrder: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["NewOrder"];
            };
        };
        responses: {
            /** @description The order, which waits for its payment. */
            201: {
                headers: {
                    Location: string;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    getOrder: {
        security: "required";
        parameters: {
            query?: never;
            header?: never;
            path: {
                id: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The order. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Order"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
}

/** The operations that the service has. */
export type OperationId =
  | "createOrder"
  | "getOrder";

/** The security schemes that the application checks. */
export type UncheckedScheme = never;

/** The bodies of failures, by the name of their schema. */
export interface failures {
  "Failure": { mediaType: "application/json"; schema: operations["createOrder"]["responses"]["default"]["content"]["application/json"] };
}
