import { childrenOf, parseXml, textAt } from '../../connectors/objects/xml.js';

it('reads what object stores answer', () => {
  const root = parseXml(
    '\ufeff<?xml version="1.0"?>\n<!-- x --><L xmlns="http://s3"><N>a &amp;&#x9;&#65;&lt;</N><e a="1"/>' +
      '<N Encoded="true"><![CDATA[<raw> &amp;]]></N><n:deep><x>1</x></n:deep></L>\n',
  );
  expect(root?.name).toBe('L');
  expect(childrenOf(root, 'N').map(({ text }) => text)).toEqual(['a &\tA<', '<raw> &amp;']);
  expect(childrenOf(root, 'N')[1]?.attributes).toContain('Encoded="true"');
  expect(textAt(root, 'deep', 'x')).toBe('1');
  expect(textAt(root, 'deep', 'y')).toBe('');
  expect(childrenOf(root, 'e')).toHaveLength(1);
});

it.each(['', 'text', '<a>', '<a></b>', '<a/><b/>', '<a', '{"a":1}', '<!DOCTYPE html><p>x'])(
  'takes %j for no XML',
  (text) => {
    expect(parseXml(text)).toBeUndefined();
  },
);
