/** An XML element. Its text consists of its direct text nodes. */
export type XmlElement = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: XmlElement[];
  text: string;
};

const TOKEN = /<\?xml version="1\.0" encoding="UTF-8"\?>|<(\/?)([a-z-]+)((?: [a-z]+="[^"<]*")*)(\/?)>|([^<]+)/y;
// oxlint-disable-next-line no-control-regex -- The characters that XML 1.0 does not have.
const FORBIDDEN = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|\p{Cs}/u;

/** Parses the XML of a report. @throws {Error} if it is not well-formed, or uses unsupported features */
export function parseXml(source: string): XmlElement {
  if (FORBIDDEN.test(source)) throw new Error('a character that XML does not have');
  const root: XmlElement = { name: '', attributes: {}, children: [], text: '' };
  const open = [root];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < source.length) {
    const at = TOKEN.lastIndex;
    const [whole, isEnd, name = '', attributes = '', isEmpty, text] = TOKEN.exec(source) ?? [];
    const parent = open.at(-1);
    if (whole === undefined || parent === undefined) throw new Error(`not well-formed at ${source.slice(at, at + 80)}`);
    if (text !== undefined) parent.text += unescape(text);
    if (text !== undefined || whole.startsWith('<?')) continue;
    if (isEnd) {
      if (open.pop()?.name !== name) throw new Error(`</${name}> ends another element`);
      continue;
    }
    const pairs = [...attributes.matchAll(/([a-z]+)="([^"]*)"/g)].map(([, key = '', value = '']) => [
      key,
      unescape(value),
    ]);
    const element = { name, attributes: Object.fromEntries(pairs) as Record<string, string>, children: [], text: '' };
    parent.children.push(element);
    if (!isEmpty) open.push(element);
  }
  const [document] = root.children;
  if (open.length !== 1 || root.children.length !== 1 || document === undefined) throw new Error('not one document');
  return document;
}

function unescape(text: string): string {
  return text.replaceAll(/&(?:#(\d+);)?/g, (_whole, code: string | undefined) => {
    if (code === undefined) throw new Error(`an ampersand that is no character reference in ${text}`);
    return String.fromCodePoint(Number(code));
  });
}
