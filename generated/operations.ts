// Generated from openapi.yaml by `npm run generate`. Do not edit.
export const operations = {
  "createPlant": {
    "operationId": "createPlant",
    "method": "POST",
    "path": "/plants",
    "security": [
      [
        "bearerAuth"
      ]
    ],
    "requestBody": {
      "required": true,
      "content": {
        "application/json": {
          "int64s": {
            "$ref": "#/components/schemas/NewPlant"
          }
        }
      }
    },
    "responses": {
      "200": [
        "application/json"
      ],
      "400": [
        "application/json"
      ],
      "401": [
        "application/json"
      ],
      "default": [
        "application/json"
      ]
    }
  }
} as const;

export const securitySchemes = {
  "bearerAuth": {
    "type": "http",
    "scheme": "bearer"
  }
} as const;

export const int64Shapes = {
  "#/components/schemas/NewPlant": {
    "allOf": [
      {
        "properties": {
          "id": {
            "int64": true
          }
        }
      }
    ]
  }
} as const;
