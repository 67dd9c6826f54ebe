// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
import type { formats } from "../src/sensors/formats.ts";
export type webhooks = Record<string, never>;
export interface components {
    schemas: {
        /** Format: int32 */
        Sensor: number;
        Value: number;
        /** Format: date-time */
        Time: Decoded<"date-time">;
        Reading: {
            sensor: components["schemas"]["Sensor"];
            value: components["schemas"]["Value"];
            at: components["schemas"]["Time"];
        };
        Failure: {
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
    listReadings: {
        security: "required";
        parameters: {
            query?: {
                since?: components["schemas"]["Time"];
            };
            header?: never;
            path: {
                sensor: components["schemas"]["Sensor"];
                format: "json" | "csv";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Up to 1,000 readings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reading"][];
                    "text/csv": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    addReading: {
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
                    sensor: components["schemas"]["Sensor"];
                    value: components["schemas"]["Value"];
                    at?: components["schemas"]["Time"];
                };
            };
        };
        responses: {
            /** @description The reading. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reading"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
}
type Decoded<Name extends keyof typeof formats> = ReturnType<(typeof formats)[Name]["decode"]>;
/** The types of a client, whose strings are not decoded. */
declare namespace json {
export interface paths {
    "/readings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /** Store a reading, with the time of its arrival if it has none */
        post: operations["addReading"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/sensors/{sensor}/readings.{format}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /** List the readings of a sensor, the oldest first */
        get: {
            parameters: {
                query?: {
                    since?: components["schemas"]["Time"];
                };
                header?: never;
                path: {
                    sensor: components["schemas"]["Sensor"];
                    format: "json" | "csv";
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description Up to 1,000 readings. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Reading"][];
                        "text/csv": string;
                    };
                };
                default: components["responses"]["Failure"];
            };
        };
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
        /** Format: int32 */
        Sensor: number;
        Value: number;
        /** Format: date-time */
        Time: string;
        Reading: {
            sensor: components["schemas"]["Sensor"];
            value: components["schemas"]["Value"];
            at: components["schemas"]["Time"];
        };
        Failure: {
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
    listReadings: {
        security: "required";
        parameters: {
            query?: {
                since?: components["schemas"]["Time"];
            };
            header?: never;
            path: {
                sensor: components["schemas"]["Sensor"];
                format: "json" | "csv";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Up to 1,000 readings. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reading"][];
                    "text/csv": string;
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    addReading: {
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
                    sensor: components["schemas"]["Sensor"];
                    value: components["schemas"]["Value"];
                    at?: components["schemas"]["Time"];
                };
            };
        };
        responses: {
            /** @description The reading. */
            201: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Reading"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
}
}
export type paths = json.paths;

/** The operations that the service has. */
export type OperationId =
  | "addReading"
  | "listReadings";

/** The security schemes that the application checks. */
export type UncheckedScheme = never;

/** The bodies of failures, by the name of their schema. */
export interface failures {
  "Failure": { mediaType: "application/json"; schema: operations["addReading"]["responses"]["default"]["content"]["application/json"] };
}
