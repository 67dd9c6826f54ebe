import { generate, printGenerated } from 'contract-first/generate';
import { exitWithoutOutput, refuse } from './output.ts';

// `npm run generate` reads openapi.yaml and writes generated/:
//
//   types.ts       the types of schemas, requests and responses, by openapi-typescript
//   contract.json  operations, parameters and schemas, compiled for the engine
//   openapi.json   the document, for clients
//
// Then it lists the operations without a handler. `-- --check` compares and writes nothing, `-- --scaffold` adds handlers.
const OPTIONS = ['--check', '--scaffold'];

const args = process.argv.slice(2);
if (args.some((arg) => !OPTIONS.includes(arg))) refuse(`the options are ${OPTIONS.join(' and ')}`);
exitWithoutOutput();

process.exitCode = printGenerated(
  await generate({ check: args.includes('--check'), scaffold: args.includes('--scaffold') }),
);
