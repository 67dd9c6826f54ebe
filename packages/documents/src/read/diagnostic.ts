/** A message about the part of a document at a JSON pointer. */
export type Diagnostic = { readonly pointer: string; readonly message: string };

/** A diagnostic with its severity and its place in a file. */
export type PlacedDiagnostic = {
  readonly severity: 'error' | 'warn';
  /** `file:line:column #/json/pointer`, or the known parts. */
  readonly place: string;
  readonly message: string;
};

/** Adds the severity and the place to diagnostics, and groups warnings. */
export function placeDiagnostics(
  severity: PlacedDiagnostic['severity'],
  diagnostics: readonly Diagnostic[],
  placeOf: (pointer: string) => string,
): readonly PlacedDiagnostic[] {
  const grouped = groupWarnings(diagnostics.map((diagnostic) => ({ ...diagnostic, severity })));
  return grouped.map(({ pointer, message }) => ({ severity, place: placeOf(pointer), message }));
}

/** Replaces equal warnings with one at the first place, since generated documents repeat a mistake hundreds of times. */
export function groupWarnings<One extends Pick<PlacedDiagnostic, 'severity' | 'message'>>(
  diagnostics: readonly One[],
): readonly One[] {
  const warnings = Map.groupBy(
    diagnostics.filter(({ severity }) => severity === 'warn'),
    ({ message }) => message,
  );
  return diagnostics.flatMap((diagnostic) => {
    const { [0]: first, length } = warnings.get(diagnostic.message) ?? [];
    if (diagnostic.severity === 'error' || length === 1) return [diagnostic];
    return diagnostic === first ? [{ ...first, message: `${first.message} (in ${String(length)} places)` }] : [];
  });
}

/** Formats a diagnostic as one line: location, severity, message. */
export function formatDiagnostic({ severity, place, message }: PlacedDiagnostic): string {
  return `${place}  ${severity}: ${message}`.replaceAll(/[\r\n]+/g, ' ');
}
