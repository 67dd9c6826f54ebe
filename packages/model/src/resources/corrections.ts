import type { OptionDeclaration, OptionReader } from '@contract-first/command-line/options';
import type { Correction, Corrections } from './resource-paths.ts';

/** The option that corrects which resources a document has. */
export const CORRECTIONS: OptionDeclaration = {
  name: 'resources',
  kind: 'map',
  text: 'corrections of the resources, by the path of the item',
  where: 'shared',
  schema: {
    type: 'object',
    additionalProperties: {
      anyOf: [
        { const: false, description: 'The path is not a resource.' },
        {
          type: 'object',
          additionalProperties: false,
          properties: {
            collection: { type: 'string', description: 'The path of the collection, such as /search.' },
            id: { type: 'string', description: 'The member with the id, such as trip_id.' },
          },
        },
      ],
    },
  },
};

/** Reads the resource corrections, by path. */
export function readCorrections({ membersOf, placeOf, refuse }: OptionReader): Corrections {
  const entries = [...membersOf('resources')].flatMap(([path, value]): [string, Correction | false][] => {
    if (value === false || isCorrection(value)) return [[path, value]];
    const example = '{ collection: /search, id: trip_id }';
    refuse(`${placeOf('resources')}: ${path} must have a collection, an id, or both, such as ${example}, or be false`);
    return [];
  });
  return new Map(entries);
}

function isCorrection(value: unknown): value is Correction {
  if (typeof value !== 'object' || value === null) return false;
  return Object.entries(value).every(([name, text]) => ['collection', 'id'].includes(name) && typeof text === 'string');
}
