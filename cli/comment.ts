import { type Guarded, hasFields, isAbsentOr, isCount, isListOf, isNullOr, isText } from './guards.ts';

const isAuthor = hasFields({ role: isText, name: isText, via: isAbsentOr(isNullOr(isText)) });

/** A comment as the service answers it: what of it this client uses. */
export const isComment = hasFields({
  id: isText,
  url: isText,
  version: isCount,
  state: isText,
  /** Absent: it is about the whole page. */
  anchor: isAbsentOr(
    isNullOr(hasFields({ quote: isText, in_latest: isAbsentOr(isText), changed_to: isAbsentOr(isText) })),
  ),
  author: isAuthor,
  text: isText,
  replies: isListOf(hasFields({ author: isAuthor, text: isText })),
});
type Comment = Guarded<typeof isComment>;

export const isCommentList = hasFields({ data: isListOf(isComment), next: isText, notice: isText });
export type CommentList = Guarded<typeof isCommentList>;

/** Only lines of the client begin without spaces: words of readers cannot pass for another comment. */
export function formatComment({ id, url, version, state, anchor, author, text, replies }: Comment): string {
  return [
    `${id}  version ${version}, ${state}  ${url}`,
    ...(anchor ? [`  ${JSON.stringify(anchor.quote)}${noteOn(anchor)}`] : []),
    ...[{ author, text }, ...replies].map(formatText),
  ].join('\n');
}

/** What the latest version has instead. */
function noteOn({ in_latest, changed_to }: NonNullable<Comment['anchor']>): string {
  if (in_latest === 'gone') return '  (no longer in the latest version)';
  return changed_to ? `  (in the latest version: ${JSON.stringify(changed_to)})` : '';
}

function formatText({ author, text }: Pick<Comment, 'author' | 'text'>): string {
  const via = author.via ? ` via ${JSON.stringify(author.via)}` : '';
  const said = text.replaceAll('\n', '\n    ');
  return `  ${author.role} ${JSON.stringify(author.name)}${via}: ${said}`;
}
