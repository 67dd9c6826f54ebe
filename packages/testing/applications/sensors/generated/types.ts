// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
import type { formats } from "../src/sensors/formats.ts";
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
    readSensors: {
        security: "required";
        parameters: {
            query?: {
                fields?: ("mean" | "min" | "max")[];
                ids?: bigint[];
                hours?: number[];
                filter?: {
                    above?: number;
                    /** Format: int64 */
                    since?: bigint;
                };
            };
            header?: never;
            path: {
                sensors: number[];
                day: string;
                format: "json" | "csv";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The readings. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sensors: number[];
                        values: number[];
                        /** Format: int64 */
                        since?: bigint | null;
                    };
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
        requestBody?: {
            content: {
                "application/json": {
                    /** Format: int32 */
                    sensor: number;
                    value: number;
                    /** Format: date-time */
                    at?: Decoded<"date-time">;
                    flags?: number[];
                    extra?: {
                        [key: string]: number | string | boolean | null;
                    };
                    pair?: [
                        string,
                        boolean
                    ];
                };
            };
        };
        responses: {
            /** @description It will be stored, with the time of its arrival if it has none. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        at: Decoded<"date-time">;
                    };
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
    "/readings/{sensors}/{day}.{format}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get: {
            parameters: {
                query?: {
                    fields?: ("mean" | "min" | "max")[];
                    ids?: bigint[];
                    hours?: number[];
                    filter?: {
                        above?: number;
                        /** Format: int64 */
                        since?: bigint;
                    };
                };
                header?: never;
                path: {
                    sensors: number[];
                    day: string;
                    format: "json" | "csv";
                };
                cookie?: never;
            };
            requestBody?: never;
            responses: {
                /** @description The readings. */
                "2XX": {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": {
                            sensors: number[];
                            values: number[];
                            /** Format: int64 */
                            since?: bigint | null;
                        };
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
    "/readings": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: operations["addReading"];
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
    readSensors: {
        security: "required";
        parameters: {
            query?: {
                fields?: ("mean" | "min" | "max")[];
                ids?: bigint[];
                hours?: number[];
                filter?: {
                    above?: number;
                    /** Format: int64 */
                    since?: bigint;
                };
            };
            header?: never;
            path: {
                sensors: number[];
                day: string;
                format: "json" | "csv";
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The readings. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        sensors: number[];
                        values: number[];
                        /** Format: int64 */
                        since?: bigint | null;
                    };
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
        requestBody?: {
            content: {
                "application/json": {
                    /** Format: int32 */
                    sensor: number;
                    value: number;
                    /** Format: date-time */
                    at?: string;
                    flags?: number[];
                    extra?: {
                        [key: string]: number | string | boolean | null;
                    };
                    pair?: [
                        string,
                        boolean
                    ];
                };
            };
        };
        responses: {
            /** @description It will be stored, with the time of its arrival if it has none. */
            202: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": {
                        /** Format: date-time */
                        at: string;
                    };
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
  | "readSensors"
  | "addReading";

/** The security schemes that the application checks. */
export type UncheckedScheme = never;

/** The bodies of failures, by the name of their schema. */
export interface failures {
  "Failure": { mediaType: "application/json"; schema: operations["readSensors"]["responses"]["default"]["content"]["application/json"] };
}
