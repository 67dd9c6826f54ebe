/** A received response. */
export type RawAnswer = { readonly status: number; readonly head: string; readonly body: string };

/** Parses all responses in a text. Throws for other or incomplete data. */
export function parseAnswers(received: string): RawAnswer[] {
  const answers: RawAnswer[] = [];
  for (let rest = received; rest !== '';) {
    const [head = '', status] = /^HTTP\/1\.1 (\d{3}) [^]*?\r\n\r\n/.exec(rest) ?? [];
    const length = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1] ?? 0);
    const body = rest.slice(head.length, head.length + length);
    expect(head).not.toBe('');
    expect(body).toHaveLength(length);
    answers.push({ status: Number(status), head, body });
    rest = rest.slice(head.length + length);
  }
  return answers;
}
