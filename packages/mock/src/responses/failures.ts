import { concreteMediaType, kindOf } from '@contract-first/contract';
import type { RenderFailure } from '@contract-first/engine/tools';
import type { CompiledDocument, FailureBody } from '@contract-first/documents';
import { createFailureTemplates, fillTemplate } from '@contract-first/model/scaffolds';
import type { Values } from '@contract-first/model/values';
import { writeText } from './text-body.ts';

/** Creates the functions that render failures, as `generate --scaffold` does. */
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
      // The engine validates strings only, and the schema may describe the parsed text.
      return typeof value === 'string' ? value : Buffer.from(writeText(mediaType, value));
    };
  }
}

function lazily(create: () => RenderFailure): RenderFailure {
  let created: RenderFailure | undefined;
  return (details) => (created ??= create())(details);
}
