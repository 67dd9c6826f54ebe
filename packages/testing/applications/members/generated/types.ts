// Generated from openapi.yaml by contract-first 2.0.0 (npm run generate). Do not edit.
export interface paths {
    "/members/{club}": {
        parameters: {
            query?: never;
            header?: never;
            path: {
                club: string;
            };
            cookie?: never;
        };
        get?: never;
        put?: never;
        post: {
            parameters: {
                query?: {
                    limit?: components["schemas"]["Limit"];
                };
                header?: {
                    "X-Mode"?: "fast" | "safe";
                };
                path: {
                    club: string;
                };
                cookie?: {
                    page?: number;
                };
            };
            requestBody: {
                content: {
                    "application/json": components["schemas"]["Member.sent"];
                };
            };
            responses: {
                /** @description The member. */
                200: {
                    headers: {
                        "X-Note"?: string;
                        "X-Count": number;
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Member"];
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
    "/photos": {
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
                        id?: never;
                        title: string;
                        copies?: number;
                        token?: string;
                        /** Format: binary */
                        file: Blob;
                    };
                    "application/x-www-form-urlencoded": components["schemas"]["Label.sent"];
                };
            };
            responses: {
                /** @description The label. */
                200: {
                    headers: {
                        [name: string]: unknown;
                    };
                    content: {
                        "application/json": components["schemas"]["Label"];
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
        Limit: number;
        /** Format: date */
        Since: string;
        Person: {
            /** Format: int64 */
            id: bigint;
            since?: components["schemas"]["Since"];
            name: string;
            secret?: never;
        };
        Member: WithRequired<components["schemas"]["Person"], "since"> & {
            roles: components["schemas"]["Role"][];
            level?: number;
            /** Format: int64 */
            rank?: 1n | 2n;
            notes?: Record<string, unknown>;
            nothing?: Record<string, never>;
            badge?: string;
            sponsor?: WithRequired<components["schemas"]["Sponsor"], "name">;
            pair?: [
                string,
                boolean?
            ];
            scores?: {
                label?: string;
            } & {
                [key: string]: number | string;
            };
            contact?: {
                name?: string;
            } & ({
                email: {} | null;
            } | {
                phone: {} | null;
            });
            since: {} | null;
        };
        Role: {
            /** Format: date */
            granted: string;
            title: string;
            weight?: components["schemas"]["Limit"];
            proof?: never;
        };
        Sponsor: {
            name?: string;
        } | null;
        Label: {
            id: number;
            title: string;
            copies?: number;
            token?: never;
        };
        "Member.sent": components["schemas"]["Person.sent"] & {
            roles: components["schemas"]["Role.sent"][];
            level?: number;
            /** Format: int64 */
            rank?: 1n | 2n;
            notes?: Record<string, unknown>;
            nothing?: Record<string, never>;
            badge?: string;
            sponsor?: WithRequired<components["schemas"]["Sponsor"], "name">;
            pair?: [
                string,
                boolean?
            ];
            scores?: {
                label?: string;
            } & {
                [key: string]: number | string;
            };
            contact?: {
                name?: string;
            } & ({
                email: {} | null;
            } | {
                phone: {} | null;
            });
        };
        "Person.sent": {
            id?: never;
            since?: never;
            name: string;
            secret: string;
        };
        "Role.sent": {
            granted?: never;
            title: string;
            weight?: components["schemas"]["Limit"];
            proof?: string;
        };
        "Member.received": components["schemas"]["Person.sent"] & {
            roles: components["schemas"]["Role.received"][];
            /** @default 1 */
            level: number;
            /** Format: int64 */
            rank?: 1n | 2n;
            notes?: Record<string, unknown>;
            nothing?: Record<string, never>;
            badge?: string;
            sponsor?: WithRequired<components["schemas"]["Sponsor"], "name">;
            pair?: [
                string,
                boolean?
            ];
            scores?: {
                label?: string;
            } & {
                [key: string]: number | string;
            };
            contact?: {
                name?: string;
            } & ({
                email: {} | null;
            } | {
                phone: {} | null;
            });
        };
        "Role.received": {
            granted?: never;
            title: string;
            /** @default 20 */
            weight: components["schemas"]["Limit"];
            proof?: string;
        };
        "Label.sent": {
            id?: never;
            title: string;
            copies?: number;
            token?: string;
        };
        "Label.received": {
            id?: never;
            title: string;
            /** @default 1 */
            copies: number;
            token?: string;
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
                    error: number;
                    message: string;
                };
            };
        };
    };
    parameters: {
        accept: string;
    };
    requestBodies: never;
    headers: {
        note: string;
        count: number;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    addMember: {
        parameters: {
            query: {
                limit: components["schemas"]["Limit"];
            };
            header: {
                "X-Mode": "fast" | "safe";
            };
            path: {
                club: string;
            };
            cookie: {
                page: number;
            };
        };
        requestBody: {
            content: {
                "application/json": components["schemas"]["Member.received"];
            };
        };
        responses: {
            /** @description The member. */
            200: {
                headers: {
                    "X-Note"?: string;
                    "X-Count": number;
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Member"];
                };
            };
            default: components["responses"]["Failure"];
        };
    };
    "photos#add": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                "multipart/form-data": {
                    id?: never;
                    title: string;
                    /** @default 1 */
                    copies: number;
                    token?: string;
                    /** Format: binary */
                    file: Blob;
                };
                "application/x-www-form-urlencoded": components["schemas"]["Label.received"];
            };
        };
        responses: {
            /** @description The label. */
            200: {
                headers: {
                    [name: string]: unknown;
                };
                content: {
                    "application/json": components["schemas"]["Label"];
                };
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
  | "addMember"
  | "photos#add";

/** The security schemes that the application checks. */
export type UncheckedScheme = never;

/** The bodies of failures, by the name of their schema. */
export interface failures {
  "Failure": { mediaType: "application/json"; schema: operations["addMember"]["responses"]["default"]["content"]["application/json"] };
}
