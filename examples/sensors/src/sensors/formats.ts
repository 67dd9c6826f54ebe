import type { Formats } from '@contract-first/engine';

export const formats: Formats<{ 'date-time': Date }> = {
  'date-time': {
    decode(text) {
      const date = new Date(text);
      if (Number.isNaN(date.valueOf())) throw new RangeError('a Date cannot be a leap second');
      return date;
    },
    encode: (date) => date.toISOString(),
  },
};
