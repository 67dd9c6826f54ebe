import eslint from '@eslint/js';
import { defineConfig, globalIgnores } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  globalIgnores([
    '**/generated/',
    'data/',
    'docs/.vitepress/.temp/',
    'docs/.vitepress/cache/',
    'packed/',
    'site/',
    'packages/generate/src/init/templates/',
  ]),
  eslint.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { project: true } },
    rules: {
      // A type is a shape; an interface is something that several modules implement.
      '@typescript-eslint/consistent-type-definitions': 'off',
      '@typescript-eslint/consistent-type-imports': 'error',
      // An index signature says what its keys are.
      '@typescript-eslint/consistent-indexed-object-style': 'off',
      // What returns a promise is async, whether or not it has to wait today.
      '@typescript-eslint/require-await': 'off',
      '@typescript-eslint/dot-notation': ['error', { allowIndexSignaturePropertyAccess: true }],
      // Otherwise it demands the assertion that no-non-null-assertion forbids.
      '@typescript-eslint/non-nullable-type-assertion-style': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
);
