import { writeFileSync } from 'node:fs';
import { optionsSchema } from './src/options-schema.ts';
import { declarations } from './src/main.ts';

// `npm run schema -w packages/cli` writes the JSON Schema of .contract.yaml.
const schema = JSON.stringify(optionsSchema(await declarations()), null, 2);
writeFileSync(new URL('options.schema.json', import.meta.url), `${schema}\n`);
