import type { Application, Settings, SettingsOf } from '@contract-first/engine';
import { runCommand } from '@contract-first/engine/run';

// This file is type-checked, but never run. Each marked line must fail to compile.

const settings = {
  MAIL_URL: { type: 'url', secret: true },
  SENDER: { type: 'string', optional: true },
  PAGE_SIZE: { type: 'integer', minimum: 1, maximum: 100, default: 20 },
  CURRENCY: { type: 'string', enum: ['EUR', 'USD'], default: 'EUR' },
  CLEANUP: { type: 'switch', default: false },
} as const satisfies Settings;

export const values: SettingsOf<typeof settings> = {
  MAIL_URL: 'smtp://localhost',
  SENDER: undefined,
  PAGE_SIZE: 20,
  // @ts-expect-error the enum does not have this value
  CURRENCY: 'GBP',
  // @ts-expect-error a switch is a boolean
  CLEANUP: 'off',
};

// @ts-expect-error a setting without a default has a value, unless it is optional
export const missing: SettingsOf<typeof settings>['MAIL_URL'] = undefined;

export const unbounded = {
  // @ts-expect-error an integer has bounds
  PAGE_SIZE: { type: 'integer' },
} satisfies Settings;

declare const parts: Omit<Application<unknown, typeof settings>, 'open' | 'settings'>;

export const application = {
  ...parts,
  settings,
  open: async ({ settings }) => {
    settings.PAGE_SIZE satisfies number;
    // @ts-expect-error the application does not declare it
    const undeclared: keyof typeof settings = 'PAGE_COUNT';
    throw new Error(undeclared);
  },
} satisfies Application<unknown, typeof settings>;

// @ts-expect-error the settings are missing
export const undeclared: Application<unknown, typeof settings> = { ...parts, open: application.open };

export const command = runCommand(
  async () => ({ application: { ...application, open: async () => ({ close: async () => undefined, beds: 3 }) } }),
  async (opened, { settings }) => {
    [opened.beds, settings.PAGE_SIZE] satisfies number[];
    // @ts-expect-error the application does not open it
    const unopened: keyof typeof opened = 'seeds';
    // @ts-expect-error the application does not declare it
    const undeclared: keyof typeof settings = 'PAGE_COUNT';
    throw new Error(unopened + undeclared);
  },
);
