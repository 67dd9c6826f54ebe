import type { Json } from '@contract-first/model/values';
import type { OptionReader } from '@contract-first/command-line/options';
import { CHECK_NAMES, PROFILES, type CheckName } from '../judgement/checks.ts';
import type { ExtraHeader } from '../run/extra-headers.ts';
import { REPORT_KINDS, type ReportTarget } from '../reports/open-reports.ts';
import type { Expectation, GivenValue } from '../run/selection.ts';

/** Reads the checks that count: those of `--checks`, without those of `--exclude-checks`. */
export function readChecks(reader: OptionReader): ReadonlySet<CheckName> {
  const chosen = reader.has('checks') ? readCheckNames(reader, 'checks') : PROFILES.default;
  const excluded = readCheckNames(reader, 'exclude-checks');
  return new Set(chosen.filter((name) => !excluded.includes(name)));
}

function readCheckNames({ read, refuse }: OptionReader, option: string): readonly CheckName[] {
  const found = read(option, (text, place) =>
    text.split(',').flatMap((part) => {
      const name = part.trim();
      if (isProfile(name)) return PROFILES[name];
      const check = CHECK_NAMES.find((known) => known === name);
      if (check !== undefined) return [check];
      const all = [...Object.keys(PROFILES), ...CHECK_NAMES];
      refuse(`${place}: unknown check "${part}"; there are ${all.join(', ')}`);
      return [];
    }),
  );
  return found.flat();
}

function isProfile(name: string): name is keyof typeof PROFILES {
  return Object.hasOwn(PROFILES, name);
}

/** Reads the reports, each with a file of its own. */
export function readReports({ read, refuse }: OptionReader): readonly ReportTarget[] {
  const reports = read('report', (text, place) => {
    const [, name, path = ''] = /^([^:]*):(.+)$/s.exec(text) ?? [];
    const kind = REPORT_KINDS.find((known) => known === name);
    if (kind !== undefined) return { kind, path };
    refuse(`${place} must be such as junit:report.xml, with ${REPORT_KINDS.join(', ')}, not "${text}"`);
    return undefined;
  });
  const paths = reports.map(({ path }) => path);
  for (const path of new Set(paths.filter((path, index) => paths.indexOf(path) !== index)))
    refuse(`--report: ${path} is the file of several reports`);
  return reports;
}

/** Reads the number of requests in a second, which may be a fraction. */
export function readRate({ read, refuse }: OptionReader): number | undefined {
  const [rate] = read('rate', (text, place) => {
    if (/^\d*\.?\d+$/.test(text) && Number(text) > 0) return Number(text);
    refuse(`${place} must be a number above 0, such as 20 or 0.5, not "${text}"`);
    return undefined;
  });
  return rate;
}

/** Reads the statuses that valid data may get, too. */
export function readExpectations({ read, refuse }: OptionReader): readonly Expectation[] {
  return read('expect', (text, place) => {
    const [, operation, statuses = ''] = /^(?:(.*):)?([^:]*)$/.exec(text) ?? [];
    const list = statuses.split(',').map((status) => status.trim());
    if (list.every((status) => /^[1-4]\d\d$/.test(status))) return { operation, statuses: list.map(Number) };
    refuse(`${place} must be such as createItem:409,422 or 409, with statuses below 500, not "${text}"`);
    return undefined;
  });
}

/** Reads the values that the server knows. */
export function readValues({ read, expand, refuse }: OptionReader): readonly GivenValue[] {
  return read('value', (text, place) => {
    const [, operation, name, value = ''] = /^(?:([^=]*):)?([^:=]+)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined) return { operation, name, value: valueOf(expand(value, place)) };
    refuse(`${place} must be such as tripId=7 or createBooking:tripId=7, not "${text}"`);
    return undefined;
  });
}

/** Reads the headers of every request. */
export function readHeaders({ read, expand, refuse }: OptionReader): readonly ExtraHeader[] {
  return read('header', (text, place): ExtraHeader | undefined => {
    const [, name, value] = /^([!#$%&'*+.^_`|~\w-]+):[ \t]*(.*)$/.exec(text) ?? [];
    if (name !== undefined && value !== undefined) return [name, expand(value, place)];
    refuse(`${place} must be such as 'X-Tenant: a', not "${text}"`);
    return undefined;
  });
}

/** Reads a value: an integer, `true`, `false`, or else a text. Where its schema allows texts only, it is one. */
function valueOf(text: string): Json {
  if (text === 'true' || text === 'false') return text === 'true';
  if (!/^(?:0|-?[1-9]\d*)$/.test(text)) return text;
  return Number.isSafeInteger(Number(text)) ? Number(text) : BigInt(text);
}
