import { writeAsGuest } from '../support/comments.ts';
import { byOwner, comment, type FormRow, field, long, type Scene } from './form-row.ts';

/** The forms of comments, on the page of a drop and on that of the account. */
export const commentForms = [
  byOwner('/p/:slug/comments', 'Send', commentsPath, {
    form: '.new-comment',
    ...field('textarea', 'A comment that I write', long),
  }),
  ...below('/p/:slug/comments', commentsPath),
  ...below('/comments', async (scene) => {
    await comment(scene);
    return '/comments';
  }),
  byOwner('/p/:slug/comments', 'Open again', async (scene) => {
    const id = await comment(scene);
    await scene.owner.owner.request('PATCH', `/api/comments/${id}`, { body: { state: 'resolved' } });
    return `/p/${scene.slug}/comments?filter=resolved`;
  }),
  byOwner('/p/:slug/comments', 'Approve', async ({ service, owner, slug }) => {
    await writeAsGuest(service, { owner: owner.owner, slug }, 'Held');
    return `/p/${slug}/comments`;
  }),
];

/** The forms below a comment, on that page. */
function below(route: string, make: FormRow['make']): FormRow[] {
  const written = (label: string) => ({
    form: '.thread form',
    ...field(`textarea[aria-label="${label}"]`, 'A text that I write', long),
  });
  return [
    byOwner(route, 'Resolve', make),
    byOwner(route, 'Delete this comment', make),
    byOwner(route, 'Send', make, written('Your reply')),
    byOwner(route, 'Save', make, written('New text')),
  ];
}

async function commentsPath(scene: Scene): Promise<string> {
  await comment(scene);
  return `/p/${scene.slug}/comments`;
}
