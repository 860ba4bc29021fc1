/** A page of that many bytes that compresses about as pages do. */
export function makePage(bytes: number): string {
  const parts = ['<!doctype html><html><head><title>Report</title></head><body><table>'];
  const end = '</table></body></html>';
  let left = bytes - (parts[0]?.length ?? 0) - end.length;
  for (let n = 0; left > 0; n++) {
    const row = `<tr><td>row ${n}</td><td>${(n * 7919) % 10_007}</td><td class="v">${Math.sin(n).toFixed(6)}</td></tr>\n`;
    parts.push(row.slice(0, left));
    left -= row.length;
  }
  return parts.join('') + end;
}
