// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
export interface paths {
    "/trips": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List all trips */
        get: operations["listTrips"];
        put?: never;
        /** Add a trip */
        post: {
            parameters: {
                query?: never;
                header?: never;
                path?: never;
                cookie?: never;
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Trip"];
                    "application/xml": components["schemas"]["Trip"];
                };
            };
            responses: {
                /** @description The trip. */
                201: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Trip"];
                        "application/xml": components["schemas"]["Trip"];
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
}
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        Trips: {
            trips: components["schemas"]["Trip"][];
        };
        Trip: {
            /** Format: int64 */
            train: bigint;
            bicycles?: boolean;
            fare?: number;
            stops: components["schemas"]["Stop"][];
        };
        Stop: {
            station: string;
            /** Format: date-time */
            time?: string;
            platform?: number;
        };
        "Trip.received": {
            /** Format: int64 */
            train: bigint;
            /** @default false */
            bicycles: boolean;
            fare?: number;
            stops: components["schemas"]["Stop"][];
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
                    status: number;
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
    addTrip: {
        codecs: "application/xml";
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Trip.received"];
                "application/xml": components["schemas"]["Trip.received"];
            };
        };
        responses: {
            /** @description The trip. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trip"];
                    "application/xml": components["schemas"]["Trip"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    listTrips: {
        codecs: "application/xml";
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description All trips. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Trips"];
                    "application/xml": components["schemas"]["Trips"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
}

/** The operations that the service has. */
export type OperationId =
  | "listTrips"
  | "addTrip";

/** The security schemes that the application checks. */
export type UncheckedScheme = never;

/** The bodies of failures, by the name of their schema. */
export interface failures {
  "Failure": { mediaType: "application/json"; schema: operations["listTrips"]["responses"]["default"]["content"]["application/json"] };
}
