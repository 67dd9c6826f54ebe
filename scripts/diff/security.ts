import { canonical } from './canonical.ts';
import type { Finding, Level } from './finding.ts';
import { child, elements, membersOf, rawChild, rootOf, type Pair, type Place } from './place.ts';

/** One way to be let in: all its schemes at once. A scheme is what it is, not what the document calls it. */
type Alternative = {
  readonly place: Place;
  readonly names: readonly string[];
  /** Each scheme's definition with a scope, or with none. */
  readonly demands: ReadonlySet<string>;
  readonly schemes: ReadonlySet<string>;
};

/** What of a security scheme is part of the request, as opposed to documentation. */
const IDENTITY = ['type', 'scheme', 'in', 'name', 'openIdConnectUrl'];

/** Compares who is let in: each way to be let in until now must still do. */
export function compareSecurity(operation: string, { base, revision }: Pair): readonly Finding[] {
  const before = alternativesOf(base);
  const after = alternativesOf(revision);
  const found = (aspect: string, level: Level, place: Place, message: string): Finding => ({
    rule: `api-security-${aspect}`,
    level,
    pointer: place.pointer,
    operation,
    message,
  });

  const refused = before.filter((old) => !after.some((now) => now.demands.isSubsetOf(old.demands)));
  const ofRefused = refused.map((old) => {
    const [instead] = after;
    const sameSchemes = after.find((now) => now.schemes.isSubsetOf(old.schemes));
    if (old.names.length === 0 && instead)
      return found('added', 'ERR', instead.place, 'authentication became necessary');
    const text = `security ${nameOf(old)}`;
    if (sameSchemes) return found('scope-added', 'ERR', sameSchemes.place, `${text} needs more scopes`);
    const sameNames = after.find((now) => nameOf(now) === nameOf(old));
    if (sameNames) return found('component-type-changed', 'ERR', sameNames.place, `${text} is another kind of scheme`);
    return found('removed', 'ERR', old.place, `${text} is not accepted any more`);
  });
  const accepted = after.filter((now) => !before.some((old) => old.demands.isSubsetOf(now.demands)));
  const ofAccepted = accepted.flatMap((now) => {
    const text = `security ${nameOf(now)}`;
    if (now.names.length === 0) return [found('removed', 'INFO', now.place, 'authentication became unnecessary')];
    if (before.some((old) => old.schemes.isSubsetOf(now.schemes))) {
      const isReplacement = refused.some((old) => nameOf(old) === nameOf(now));
      return isReplacement ? [] : [found('scope-removed', 'INFO', now.place, `${text} needs fewer scopes`)];
    }
    const isNew = !refused.some((old) => nameOf(old) === nameOf(now) || old.names.length === 0);
    return isNew ? [found('added', 'INFO', now.place, `${text} is accepted, too`)] : [];
  });
  return [...ofRefused, ...ofAccepted];
}

function nameOf({ names }: Alternative): string {
  return names.join(' and ');
}

/** The operation's own list, or the document's; without any, everyone is let in. */
function alternativesOf(operation: Place): readonly Alternative[] {
  const list = rawChild(operation, 'security') ?? rawChild(rootOf(operation.document), 'security');
  const alternatives = elements(list).map((place) => readAlternative(place));
  if (alternatives.length > 0) return alternatives;
  return [{ place: list ?? operation, names: [], demands: new Set(), schemes: new Set() }];
}

function readAlternative(place: Place): Alternative {
  const schemes = child(child(rootOf(place.document), 'components'), 'securitySchemes');
  const entries = Object.entries(membersOf(place.value)).map(([name, scopes]) => {
    const definition = membersOf(child(schemes, name)?.value);
    const identity = canonical(IDENTITY.map((key) => definition[key] ?? null)).toLowerCase();
    const demands = Array.isArray(scopes) ? scopes.map((scope) => `${identity} ${String(scope)}`) : [];
    return { name, identity, demands: [identity, ...demands] };
  });
  return {
    place,
    names: entries.map(({ name }) => name).sort(),
    demands: new Set(entries.flatMap(({ demands }) => demands)),
    schemes: new Set(entries.map(({ identity }) => identity)),
  };
}
