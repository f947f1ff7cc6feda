/** As much of XML as the answers of object stores use. */
export interface Element {
  name: string;
  /** As they are written. */
  attributes: string;
  text: string;
  children: readonly Element[];
}

interface Open {
  name: string;
  attributes: string;
  text: string;
  children: Element[];
}

const entities: Readonly<Record<string, string>> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
};

const unescaped = (text: string): string =>
  text.replace(/&(?:#x([0-9a-fA-F]{1,6})|#(\d{1,7})|(\w+));/g, (all, hex, decimal, name) => {
    if (typeof name === 'string') return entities[name] ?? all;
    const code = typeof hex === 'string' ? parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : all;
  });

/** A tag with its attributes, a comment or declaration, or a text. */
const token = /<!\[CDATA\[([^]*?)\]\]>|<[?!][^>]*>|<(\/?)([\w.:-]+)([^>]*?)(\/?)>|([^<]+)/gy;

const localName = (name: string): string => name.slice(name.indexOf(':') + 1);

/** The root element; undefined where the text is no XML. */
export const parseXml = (text: string): Element | undefined => {
  const document: Open = { name: '', attributes: '', text: '', children: [] };
  const open: Open[] = [document];
  let end = 0;
  for (const [all, data, closes, name, attributes, empty, characters] of text
    .trim()
    .matchAll(token)) {
    end += all.length;
    const current = open.at(-1);
    if (!current) return undefined;
    if (data !== undefined) current.text += data;
    else if (characters !== undefined) current.text += unescaped(characters);
    else if (name === undefined) continue;
    else if (closes === '/') {
      if (open.length === 1 || current.name !== localName(name)) return undefined;
      open.pop();
    } else {
      const element: Open = {
        name: localName(name),
        attributes: attributes ?? '',
        text: '',
        children: [],
      };
      current.children.push(element);
      if (empty !== '/') open.push(element);
    }
  }
  const [root] = document.children;
  const whole = end === text.trim().length && open.length === 1 && document.children.length === 1;
  return whole ? root : undefined;
};

export const childrenOf = (element: Element | undefined, name: string): readonly Element[] =>
  (element?.children ?? []).filter((child) => child.name === name);

/** The text of a child; empty where there is none. */
export const textAt = (element: Element | undefined, ...path: readonly string[]): string => {
  let at = element;
  for (const name of path) at = childrenOf(at, name)[0];
  return at?.text ?? '';
};
