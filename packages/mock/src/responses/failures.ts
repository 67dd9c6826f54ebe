import { concreteMediaType, kindOf } from '@contract-first/contract';
import type { RenderFailure } from '@contract-first/engine/tools';
import type { CompiledDocument, FailureBody } from '@contract-first/documents';
import { createFailureTemplates, fillTemplate } from '@contract-first/model/scaffolds';
import type { Values } from '@contract-first/model/values';
import { writeText } from './text-body.ts';

/** Creates the functions that render failures, like the functions from `generate --scaffold`. */
export function createFailures(
  { failureBodies }: CompiledDocument,
  values: Values,
): Readonly<Record<string, RenderFailure>> {
  const { valueOf } = createFailureTemplates(values);
  return Object.fromEntries(failureBodies.map((body) => [body.name, lazily(() => rendererOf(body))]));

  function rendererOf(body: FailureBody): RenderFailure {
    const template = valueOf(body);
    const mediaType = concreteMediaType(body.mediaType);
    if (kindOf(mediaType) === 'json') return (details) => fillTemplate(template, details);
    return (details) => {
      const value = fillTemplate(template, details);
      // A Buffer, since the engine would validate a string, but the schema may describe the parsed value.
      return typeof value === 'string' ? value : Buffer.from(writeText(mediaType, value));
    };
  }
}

function lazily(create: () => RenderFailure): RenderFailure {
  let created: RenderFailure | undefined;
  return (details) => (created ??= create())(details);
}
