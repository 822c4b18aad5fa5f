/** Rows under headings, with columns as wide as their content. Callers handle the empty case. */
export const table = (headings: readonly string[], rows: readonly (readonly string[])[]): string => {
  const all = [headings, ...rows];
  const widths = headings.map((_, column) => Math.max(...all.map((row) => (row[column] ?? '').length)));
  const line = (row: readonly string[]) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd();
  return all.map(line).join('\n');
};
