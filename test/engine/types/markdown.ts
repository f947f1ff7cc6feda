/** Markdown as Prettier leaves it alone. */

/** Text that means itself, within a table too. */
export const code = (text: string): string => {
  const visible = text
    .replace(/[\u0000-\u001f\u007f]/g, (sign) => JSON.stringify(sign).slice(1, -1))
    .replaceAll('|', '\\|');
  const longest = Math.max(0, ...[...visible.matchAll(/`+/g)].map(([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const blank = /^`|`$|^ .* $/.test(visible) ? ' ' : '';
  return `${fence}${blank}${visible}${blank}${fence}`;
};

/** East Asian signs and emoji take two places. */
const wide =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60]|[\u{1f300}-\u{1faff}]/gu;

const widthOf = (text: string): number => [...text].length + (text.match(wide)?.length ?? 0);

export const table = (head: readonly string[], rows: readonly (readonly string[])[]): string => {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => widthOf(row[column] ?? ''))),
  );
  const line = (row: readonly string[]): string => {
    const cells = widths.map((width, column) => {
      const cell = row[column] ?? '';
      return cell + ' '.repeat(width - widthOf(cell));
    });
    return `| ${cells.join(' | ')} |`;
  };
  return [line(head), line(widths.map((width) => '-'.repeat(width))), ...rows.map(line)].join('\n');
};
