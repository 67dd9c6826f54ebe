import Sequencer from '@jest/test-sequencer';

// The files that take longest. Jest knows how long a file took, but a fresh clone has no earlier run: there, it begins with the
// largest files, and a slow one that is small would run alone at the end.
const SLOWEST = [
  ...[
    'tokens-file',
    'broken-servers',
    'check/limits',
    'published-faults',
    'check/hostile',
    'check/state',
    'test/bench',
  ],
  ...['engine-faults', 'test/dev', 'durability'],
  ...['upload-files', 'soak', 'unmatched', 'init', 'contracts', 'import', 'stop', 'postgres-failures'],
];

/** Begins with the files that take longest. */
export default class SlowestFirst extends Sequencer {
  sort(tests) {
    const rankOf = ({ path }) => {
      const index = SLOWEST.findIndex((name) => path.endsWith(`${name}.system.test.ts`));
      return index === -1 ? SLOWEST.length : index;
    };
    return super.sort(tests).sort((one, other) => rankOf(one) - rankOf(other)); // Others keep their order.
  }
}
