import type { Ajv2020 } from 'ajv/dist/2020.js';
import { isIP } from 'node:net';

/*
 * Validates formats that ajv-formats validates leniently or too strictly. Independent of the engine's code, so that the checks do not
 * share its bugs.
 */

const TIME = /^(\d\d):(\d\d):(\d\d)(?:\.\d+)?(?:Z|([+-])(\d\d):(\d\d))$/i;
const DATE = /^(\d{4})-(\d\d)-(\d\d)$/;
const UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}$/i;
const ATOM = /^[\w!#$%&'*+/=?^`{|}~-]+$/;
const QUOTED = /^"(?:[ !#-[\]-~]|\\[ -~])*"$/;
const LABEL = /^[a-z\d](?:[a-z\d-]*[a-z\d])?$/i;
const MINUTES_OF_A_DAY = 1_440;

const VARIABLE = /(?:\w|%[\da-f]{2})(?:\.?(?:\w|%[\da-f]{2}))*(?::[1-9]\d{0,3}|\*)?/;
const EXPRESSION = new RegExp(`\\{[+#./;?&=,!@|]?${VARIABLE.source}(?:,${VARIABLE.source})*\\}`, 'gi');
const LITERALS = /^(?:[^\0-\x20\x7f"<>%\\^`{|}]|%[\da-f]{2})*$/i;

/**
 * Replaces formats of an Ajv instance: timestamps (RFC 3339), UUIDs (RFC 9562), mailboxes (RFC 5321) and URI templates
 * (RFC 6570).
 */
export function addExactFormats(ajv: Ajv2020): void {
  const formats = {
    time: isTime,
    'date-time': isDateTime,
    email: isEmail,
    uuid: (text: string) => UUID.test(text),
    // A letter in place of an expression cannot complete a literal such as %4.
    'uri-template': (text: string) => LITERALS.test(text.replaceAll(EXPRESSION, 'x')),
  };
  for (const [name, validate] of Object.entries(formats)) ajv.addFormat(name, { type: 'string', validate });
}

function isDateTime(text: string): boolean {
  return /t/i.test(text.charAt(10)) && isDate(text.slice(0, 10)) && isTime(text.slice(11));
}

function isDate(text: string): boolean {
  const [, year, month, day] = DATE.exec(text)?.map(Number) ?? [];
  if (year === undefined || month === undefined || day === undefined) return false;
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  const lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return day >= 1 && day <= (lengths[month - 1] ?? 0);
}

function isTime(text: string): boolean {
  const match = TIME.exec(text);
  if (match === null) return false;
  const [, hours = 0, minutes = 0, seconds = 0, , hoursAway = 0, minutesAway = 0] = match.map(
    (part: string | undefined) => Number(part ?? 0),
  );
  if (hours > 23 || minutes > 59 || seconds > 60 || hoursAway > 23 || minutesAway > 59) return false;
  // A leap second is the last second of a day in UTC.
  const offset = (hoursAway * 60 + minutesAway) * (match[4] === '-' ? -1 : 1);
  const utc = (hours * 60 + minutes - offset + MINUTES_OF_A_DAY) % MINUTES_OF_A_DAY;
  return seconds < 60 || utc === MINUTES_OF_A_DAY - 1;
}

function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@');
  const [local, domain] = [text.slice(0, Math.max(at, 0)), text.slice(at + 1)];
  if (!QUOTED.test(local) && !local.split('.').every((atom) => ATOM.test(atom))) return false;
  const [, version = '', address = ''] = /^\[(IPv6:)?([^[\]]*)\]$/i.exec(domain) ?? [];
  if (address !== '') return isIP(address) === (version === '' ? 4 : 6);
  const labels = domain.split('.');
  return labels.length > 1 && labels.every((label) => LABEL.test(label));
}
