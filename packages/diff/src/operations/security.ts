import {
  canonical,
  child,
  children,
  elements,
  asObject,
  type Node,
  type NodePair,
  rawChild,
  rootOf,
  textAt,
} from '../nodes/node.ts';
import { finding, type Finding, type Level, type FindingContext } from '../rules/finding.ts';

/** A security requirement. Its schemes are compared by definition, not by name. */
type Alternative = {
  readonly node: Node;
  readonly names: readonly string[];
  /** The definition of each scheme, alone and with each required scope. */
  readonly demands: ReadonlySet<string>;
  readonly schemes: ReadonlySet<string>;
};

/** Compares security requirements. Credentials for the base must stay valid. */
export function compareSecurity(scope: FindingContext, { base, revision }: NodePair): readonly Finding[] {
  const before = alternativesOf(base);
  const after = alternativesOf(revision);
  const found = (aspect: string, level: Level, node: Node, change: string): Finding =>
    finding(scope, `api-security-${aspect}`, level, node, change);

  const rejected = before.filter((previous) => !after.some((current) => current.demands.isSubsetOf(previous.demands)));
  const ofRejected = rejected.map((previous) => {
    const [replacement] = after;
    const sameSchemes = after.find((current) => current.schemes.isSubsetOf(previous.schemes));
    if (previous.names.length === 0 && replacement)
      return found('added', 'ERR', replacement.node, 'authentication became required');
    const text = `security ${nameOf(previous)}`;
    if (sameSchemes) return found('scope-added', 'ERR', sameSchemes.node, `${text} requires more scopes`);
    const sameNames = after.find((current) => nameOf(current) === nameOf(previous));
    if (sameNames) return found('component-type-changed', 'ERR', sameNames.node, `${text} is defined differently`);
    return found('removed', 'ERR', previous.node, `${text} is no longer accepted`);
  });
  const accepted = after.filter((current) => !before.some((previous) => previous.demands.isSubsetOf(current.demands)));
  const ofAccepted = accepted.flatMap((current) => {
    const text = `security ${nameOf(current)}`;
    if (current.names.length === 0) return [found('removed', 'INFO', current.node, 'authentication became optional')];
    if (before.some((previous) => previous.schemes.isSubsetOf(current.schemes))) {
      const isReplacement = rejected.some((previous) => nameOf(previous) === nameOf(current));
      return isReplacement ? [] : [found('scope-removed', 'INFO', current.node, `${text} requires fewer scopes`)];
    }
    const isNew = !rejected.some((previous) => nameOf(previous) === nameOf(current) || previous.names.length === 0);
    return isNew ? [found('added', 'INFO', current.node, `${text} is accepted too`)] : [];
  });
  return [...ofRejected, ...ofAccepted, ...compareFlows(scope, { base: before, revision: after })];
}

/** Compares the OAuth flows by which clients get tokens, if both documents have any. */
function compareFlows(scope: FindingContext, alternatives: NodePair<readonly Alternative[]>): readonly Finding[] {
  const [before, after] = [flowsOf(alternatives.base), flowsOf(alternatives.revision)];
  if (before.size === 0 || after.size === 0) return [];
  const removed = [...before].filter(([flow]) => !after.has(flow));
  const added = [...after].filter(([flow]) => !before.has(flow));
  return [
    ...removed.map(([flow, node]) =>
      finding(scope, 'api-security-removed', 'ERR', node, `the OAuth flow ${flow} was removed`),
    ),
    ...added.map(([flow, node]) =>
      finding(scope, 'api-security-added', 'INFO', node, `the OAuth flow ${flow} was added`),
    ),
  ];
}

function flowsOf(alternatives: readonly Alternative[]): ReadonlyMap<string, Node> {
  const schemes = alternatives.flatMap(({ names, node }) => names.map((name) => schemeNamed(name, node)));
  return new Map(schemes.flatMap((scheme) => [...children(child(scheme, 'flows'))]));
}

function nameOf({ names }: Alternative): string {
  return names.join(' and ');
}

/** Returns the requirements of the operation or else of the document; if empty, a requirement for public access. */
function alternativesOf(operation: Node): readonly Alternative[] {
  const list = rawChild(operation, 'security') ?? rawChild(rootOf(operation.document), 'security');
  const alternatives = elements(list).map((node) => readAlternative(node));
  if (alternatives.length > 0) return alternatives;
  return [{ node: list ?? operation, names: [], demands: new Set(), schemes: new Set() }];
}

function readAlternative(node: Node): Alternative {
  const entries = Object.entries(asObject(node.value)).map(([name, scopes]) => {
    const identity = identityOf(schemeNamed(name, node));
    const demands = Array.isArray(scopes) ? scopes.map((scope) => `${identity} ${String(scope)}`) : [];
    return { name, identity, demands: [identity, ...demands] };
  });
  return {
    node,
    names: entries.map(({ name }) => name).sort(),
    demands: new Set(entries.flatMap(({ demands }) => demands)),
    schemes: new Set(entries.map(({ identity }) => identity)),
  };
}

function schemeNamed(name: string, { document }: Node): Node | undefined {
  return child(child(child(rootOf(document), 'components'), 'securitySchemes'), name);
}

/** Returns the members of a security scheme that affect requests, as text. */
function identityOf(scheme: Node | undefined): string {
  const [type, http, place, name, url] = ['type', 'scheme', 'in', 'name', 'openIdConnectUrl'].map((member) =>
    textAt(scheme, member),
  );
  // HTTP schemes and names of headers ignore letter case, unlike query parameters and cookies.
  const key = place === 'header' ? name?.toLowerCase() : name;
  return canonical([type, http?.toLowerCase(), place, key, url].map((member) => member ?? null));
}
