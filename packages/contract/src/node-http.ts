/**
 * Node's module `node:http`. An import of the module would evaluate all its exports, which loads Node's `fetch` and
 * `WebSocket`: a tenth of the CPU time that a service needs to start.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
