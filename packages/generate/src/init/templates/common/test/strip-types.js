import { stripTypeScriptTypes } from 'node:module';

/** Jest's transform: the types go, line and column of everything else stay, as when Node runs the file itself. */
export default { process: (code) => ({ code: stripTypeScriptTypes(code) }) };
