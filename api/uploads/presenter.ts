import { address, exactly, fields, named, text, time, type Wire } from '../openapi/shape.ts';

const sample = 'https://drops.example/u/7VgtJt0pDdvDZbqS2q5qzu0HxOq1cX9b';

export const uploadShape = named(
  'Upload',
  fields({
    upload_url: address(
      'Where the document goes. Everybody who knows it can publish for you: keep it secret.',
      sample,
    ),
    expires_at: time('When the address expires, 10 minutes after the request.'),
    method: exactly('How to send the document.', 'PUT'),
    curl: text('The same as a command line; replace page.html by your file.', {
      examples: [`curl -sS --fail-with-body -T page.html ${sample}`],
    }),
  }),
);

export function presentUpload(
  { secret, expiresAt }: { secret: string; expiresAt: number },
  baseUrl: string,
): Wire<typeof uploadShape> {
  const upload_url = `${baseUrl}/u/${secret}`;
  return {
    upload_url,
    expires_at: expiresAt,
    method: 'PUT',
    curl: `curl -sS --fail-with-body -T page.html ${upload_url}`,
  };
}
