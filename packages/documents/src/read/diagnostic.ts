/** A message about the part of a document at a JSON pointer. */
export type Diagnostic = { readonly pointer: string; readonly message: string };

/** A diagnostic with its severity and its place in a file. */
export type PlacedDiagnostic = {
  readonly severity: 'error' | 'warn';
  /** `file:line:column #/json/pointer`, or the known parts. */
  readonly place: string;
  readonly message: string;
};

/** Adds the severity and the place to diagnostics. */
export function placeDiagnostics(
  severity: PlacedDiagnostic['severity'],
  diagnostics: readonly Diagnostic[],
  placeOf: (pointer: string) => string,
): readonly PlacedDiagnostic[] {
  return diagnostics.map(({ pointer, message }) => ({ severity, place: placeOf(pointer), message }));
}

/** Formats a diagnostic as one line: location, severity, message. */
export function formatDiagnostic({ severity, place, message }: PlacedDiagnostic): string {
  return `${place}  ${severity}: ${message}`.replaceAll(/[\r\n]+/g, ' ');
}
