import { children, type Node, type NodePair } from '../nodes/node.ts';
import { finding, type Finding, type Level, type FindingContext } from '../rules/finding.ts';
import { compareMediaTypes } from './bodies.ts';
import { compareHeaders, headersOf } from './headers.ts';

/** Compares the responses of an operation: statuses, headers and bodies. */
export function compareResponses(
  scope: FindingContext,
  { base, revision }: NodePair<Node | undefined>,
): readonly Finding[] {
  const before = responsesOf(base);
  const after = responsesOf(revision);
  const found = (aspect: string, level: Level, status: string, node: Node): Finding => {
    const rule = `response-${isSuccess(status) ? 'success' : 'non-success'}-status-${aspect}`;
    return finding({ ...scope, name: `response ${status}` }, rule, level, node, `was ${aspect}`);
  };

  const ofBase = [...before].flatMap(([status, node]) => {
    // `2XX` may replace `200`. Several statuses may replace a range; each is compared with the range.
    const isPartner = (other: string): boolean => inRange(status, other) || inRange(other, status);
    const partners = [...after].filter(([other]) => (after.has(status) ? other === status : isPartner(other)));
    if (partners.length === 0) {
      const removed = found('removed', isSuccess(status) ? 'ERR' : 'INFO', status, node);
      // In the revision, `default` describes an unlisted status.
      const fallback = isSuccess(status) ? undefined : after.get('default');
      const rest = fallback === undefined ? [] : compareResponse(scope, status, { base: node, revision: fallback });
      return [removed, ...rest];
    }
    return partners.flatMap(([other, current]) => compareResponse(scope, other, { base: node, revision: current }));
  });
  const added = [...after].flatMap(([status, node]) => {
    if (before.has(status) || [...before.keys()].some((other) => inRange(other, status))) return [];
    const range = [...before.keys()].find((other) => inRange(status, other));
    if (range !== undefined && !after.has(range)) return [];
    // In the base, a range or `default` describes an unlisted status.
    const fallback = before.get(range ?? (isSuccess(status) ? '' : 'default'));
    const rest = fallback === undefined ? [] : compareResponse(scope, status, { base: fallback, revision: node });
    return [found('added', 'INFO', status, node), ...rest];
  });
  return [...ofBase, ...added];
}

function compareResponse(scope: FindingContext, status: string, { base, revision }: NodePair): readonly Finding[] {
  const name = `response ${status}`;
  const headers = { base: headersOf(base), revision: headersOf(revision) };
  return [
    ...compareHeaders({ ...scope, name: `${name} header` }, headers),
    ...compareMediaTypes({ ...scope, subject: 'response-body', name: `${name} body` }, { base, revision }),
  ];
}

function responsesOf(node: Node | undefined): ReadonlyMap<string, Node> {
  const entries = [...children(node)].filter(([status]) => !status.startsWith('x-'));
  return new Map(entries.map(([status, response]) => [status === 'default' ? status : status.toUpperCase(), response]));
}

function isSuccess(status: string): boolean {
  return status.startsWith('2');
}

/** Returns whether a range (`2XX`) includes a status (`200`). */
function inRange(status: string, range: string): boolean {
  return range !== status && range.endsWith('XX') && status.startsWith(range.charAt(0));
}
