import { Oas3_2Types, type Plugin } from '@redocly/openapi-core';

const { Response: response, DeviceAuthorization: flow } = Oas3_2Types;
const scopes = { name: 'ScopesMap', properties: {}, additionalProperties: { type: 'string' } } as const;

/**
 * Corrects the types of OpenAPI 3.2. Version 2.64 of the linter requires a description of responses, which is optional
 * (4.17.1), and throws on the scopes of device flows, whose type does not exist.
 */
export const linterTypes: Plugin = {
  id: 'types',
  typeExtension: {
    oas3: (types, version) =>
      version === 'oas3_2'
        ? {
            ...types,
            Response: { ...response, required: [] },
            DeviceAuthorization: { ...flow, properties: { ...flow.properties, scopes } },
          }
        : types,
  },
};
