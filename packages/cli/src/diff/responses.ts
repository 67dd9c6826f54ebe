import { compareMediaTypes } from './bodies.ts';
import { finding, type Finding, type Level } from './finding.ts';
import { child, children, isSet, rawChild, type Pair, type Node } from './node.ts';
import { compareSchemas } from './schema.ts';

/** Compares the documented statuses of an operation, and the headers and bodies of each. */
export function compareResponses(
  operation: string,
  { base, revision }: Pair<Node | undefined>,
  today: string,
): readonly Finding[] {
  const before = responsesOf(base);
  const after = responsesOf(revision);
  const found = (aspect: string, level: Level, status: string, node: Node): Finding => {
    const rule = `response-${isSuccess(status) ? 'success' : 'non-success'}-status-${aspect}`;
    return finding(operation, rule, level, node, `response ${status} was ${aspect}`);
  };

  const ofBase = [...before].flatMap(([status, node]) => {
    // `2XX` may replace `200`. A range may be replaced by several statuses, and each is compared with it.
    const isPartner = (other: string): boolean => inRange(status, other) || inRange(other, status);
    const partners = [...after].filter(([other]) => (after.has(status) ? other === status : isPartner(other)));
    if (partners.length === 0) return [found('removed', isSuccess(status) ? 'ERR' : 'INFO', status, node)];
    return partners.flatMap(([other, current]) =>
      compareResponse(operation, other, { base: node, revision: current }, today),
    );
  });
  const added = [...after].flatMap(([status, node]) => {
    if (before.has(status) || [...before.keys()].some((other) => inRange(other, status))) return [];
    const range = [...before.keys()].find((other) => inRange(status, other));
    if (range !== undefined && !after.has(range)) return [];
    // The base describes a status that it does not list by its range or by `default`.
    const fallback = before.get(range ?? (isSuccess(status) ? '' : 'default'));
    const rest =
      fallback === undefined ? [] : compareResponse(operation, status, { base: fallback, revision: node }, today);
    return [found('added', 'INFO', status, node), ...rest];
  });
  return [...ofBase, ...added];
}

function compareResponse(operation: string, status: string, pair: Pair, today: string): readonly Finding[] {
  const at = { subject: 'response-body', name: `response ${status} body`, operation, today } as const;
  return [...compareHeaders(operation, status, pair, today), ...compareMediaTypes(at, pair)];
}

function compareHeaders(
  operation: string,
  status: string,
  { base, revision }: Pair,
  today: string,
): readonly Finding[] {
  const before = headersOf(base);
  const after = headersOf(revision);
  const nameOf = (header: string): string => `response ${status} header ${header}`;
  const found = (rule: string, level: Level, node: Node, header: string, change: string): Finding =>
    finding(operation, rule, level, node, `${nameOf(header)} ${change}`);

  const ofBase = [...before].flatMap(([header, node]) => {
    const current = after.get(header);
    const required = isSet(node, 'required');
    if (current === undefined) {
      return required
        ? [found('required-response-header-removed', 'ERR', node, header, 'was removed')]
        : [found('optional-response-header-removed', 'WARN', node, header, 'was removed')];
    }
    const becameOptional = required && !isSet(current, 'required');
    const described = {
      subject: 'response-header',
      text: 'once',
      operation,
      today,
      node: current,
      name: nameOf(header),
    } as const;
    const schemas = { base: rawChild(node, 'schema'), revision: rawChild(current, 'schema') };
    return [
      ...(becameOptional
        ? [found('response-header-became-optional', 'ERR', current, header, 'is no longer required')]
        : []),
      ...compareSchemas(described, schemas),
    ];
  });
  const added = [...after].filter(([header]) => !before.has(header));
  return [
    ...ofBase,
    ...added.map(([header, node]) => found('response-header-added', 'INFO', node, header, 'was added')),
  ];
}

function headersOf(response: Node): ReadonlyMap<string, Node> {
  const entries = [...children(child(response, 'headers'))].map(([name, node]) => [name.toLowerCase(), node] as const);
  // OpenAPI ignores Content-Type here: the media types define it.
  return new Map(entries.filter(([name]) => name !== 'content-type'));
}

function responsesOf(node: Node | undefined): ReadonlyMap<string, Node> {
  const entries = [...children(node)].filter(([status]) => !status.startsWith('x-'));
  return new Map(entries.map(([status, response]) => [status === 'default' ? status : status.toUpperCase(), response]));
}

function isSuccess(status: string): boolean {
  return status.startsWith('2');
}

/** Returns whether a status (`200`) belongs to a range (`2XX`). */
function inRange(status: string, range: string): boolean {
  return range !== status && range.endsWith('XX') && status.startsWith(range.charAt(0));
}
