/** A field of a form: text, or a file. */
export type Field =
  | string
  | { readonly filename: string; readonly type?: string; readonly bytes: string | Uint8Array };

/** The form as a browser sends it: its type, and its body. */
export function multipart(fields: Readonly<Record<string, Field>>): { type: string; body: Buffer } {
  const boundary = '----form-boundary';
  const parts = Object.entries(fields).flatMap(([name, field]) => {
    const head = `--${boundary}\r\nContent-Disposition: form-data; name="${name}"`;
    if (typeof field === 'string') return [Buffer.from(`${head}\r\n\r\n${field}\r\n`)];
    const { filename, type = 'text/html', bytes } = field;
    const file = `${head}; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`;
    return [Buffer.from(file), Buffer.from(bytes), Buffer.from('\r\n')];
  });
  const body = Buffer.concat([...parts, Buffer.from(`--${boundary}--\r\n`)]);
  return { type: `multipart/form-data; boundary=${boundary}`, body };
}
