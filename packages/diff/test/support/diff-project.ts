import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { diffCommand } from '../../src/command.ts';
import { temporaryFolder } from '@contract-first/testing/cleanup.ts';
import { runHere } from '@contract-first/testing/command.ts';
import { runProcess, type Outcome } from '@contract-first/testing/service.ts';

/** A document in which a request and a response share a schema. */
export const CONTRACT = `
openapi: 3.1.0
info:
  title: Plants
  version: 1.0.0
security: []
paths:
  /plants:
    post:
      operationId: createPlant
      requestBody:
        content: { application/json: { schema: { $ref: '#/components/schemas/NewPlant' } } }
      responses:
        '200':
          description: The plant.
          content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } }
        '400':
          description: Not a plant.
          content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
        default:
          description: Any other failure.
          content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } }
components:
  schemas:
    Plant:
      type: object
      required: [name]
      properties:
        name: { type: string }
        tag: { type: string }
    NewPlant:
      allOf:
        - $ref: '#/components/schemas/Plant'
        - type: object
          required: [id]
          properties:
            id: { type: integer, format: int64 }
    Error:
      type: object
      required: [error, message]
      properties:
        error: { type: integer, format: int32 }
        message: { type: string }
`;

/** A folder for comparisons, which may become a git repository. Removed when the test ends. */
export type DiffProject = {
  readonly folder: string;
  readonly write: (name: string, content: string) => void;
  /** Runs `contract:diff`. */
  readonly diff: (...args: readonly string[]) => Promise<Outcome>;
  readonly diffIn: (folder: string, ...args: readonly string[]) => Promise<Outcome>;
  readonly git: (...args: readonly string[]) => Promise<void>;
  /** Commits all files. */
  readonly commit: (message: string) => Promise<void>;
};

/** Creates a folder with the document as openapi.yaml. */
export function createDiffProject(): DiffProject {
  const folder = temporaryFolder();
  const write = (name: string, content: string): void => {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  };
  const diffIn = (inner: string, ...args: readonly string[]): Promise<Outcome> =>
    runHere(diffCommand, args, join(folder, inner));
  const git = async (...args: readonly string[]): Promise<void> => {
    const identity = ['-c', 'user.name=Test', '-c', 'user.email=test@example.com', '-c', 'commit.gpgsign=false'];
    expect(await runProcess('git', [...identity, ...args], {}, folder)).toMatchObject({ code: 0 });
  };
  const commit = async (message: string): Promise<void> => {
    await git('add', '.');
    await git('commit', '--quiet', '--message', message);
  };
  write('openapi.yaml', CONTRACT);
  return { folder, write, diff: (...args) => diffIn('.', ...args), diffIn, git, commit };
}
