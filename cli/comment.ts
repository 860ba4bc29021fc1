import { fields, isCount, isText, listOf, nullable, optional, type ShapeOf } from './shape.ts';

const isAuthor = fields({ role: isText, name: isText, via: optional(nullable(isText)) });

/** A comment as the service answers it: what of it this client uses. */
export const isComment = fields({
  id: isText,
  url: isText,
  version: isCount,
  state: isText,
  /** Absent: it is about the whole page. */
  anchor: optional(nullable(fields({ quote: isText, in_latest: optional(isText) }))),
  author: isAuthor,
  text: isText,
  replies: listOf(fields({ author: isAuthor, text: isText })),
});
type Comment = ShapeOf<typeof isComment>;

export const isCommentList = fields({ data: listOf(isComment), next: isText, notice: isText });
export type CommentList = ShapeOf<typeof isCommentList>;

/** Only lines of the client begin without spaces: words of readers cannot pass for another comment. */
export function formatComment({ id, url, version, state, anchor, author, text, replies }: Comment): string {
  const gone = anchor?.in_latest === 'gone' ? '  (no longer in the latest version)' : '';
  return [
    `${id}  version ${version}, ${state}  ${url}`,
    ...(anchor ? [`  ${JSON.stringify(anchor.quote)}${gone}`] : []),
    ...[{ author, text }, ...replies].map(formatText),
  ].join('\n');
}

function formatText({ author, text }: Pick<Comment, 'author' | 'text'>): string {
  const via = author.via ? ` via ${JSON.stringify(author.via)}` : '';
  const said = text.replaceAll('\n', '\n    ');
  return `  ${author.role} ${JSON.stringify(author.name)}${via}: ${said}`;
}
