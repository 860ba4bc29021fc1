import { createReportScene } from '../support/report-form.ts';
import { byOperator, comment, type FormRow, field, long, type Scene } from './form-row.ts';

/** The forms of the pages for operators. */
export const operatorForms = [
  byOperator('/operators/find', 'Find', '/operators/find', field('#what', 'Something', 'x'.repeat(1_001))),
  byOperator('/operators/pages/:slug/inspect', 'Look', ({ slug }) => `/operators/pages/${slug}`),
  act('/operators/pages/:slug/takedown', 'Take down', ({ slug }) => `/operators/pages/${slug}/takedown`),
  act('/operators/pages/:slug/restore', 'Restore', async ({ service, slug }) => {
    await service.services.moderation.takeDown(slug, { by: 'root', reason: 'A reason' });
    return `/operators/pages/${slug}/restore`;
  }),
  act('/operators/pages/:slug/close-reports', 'Close all', async (scene) => {
    await withReport(scene);
    return `/operators/pages/${scene.slug}/close-reports`;
  }),
  act(
    '/operators/reports/:id/close',
    'Close report',
    async (scene) => `/operators/reports/${await withReport(scene)}/close`,
  ),
  act(
    '/operators/comments/:id/delete',
    'Delete',
    async (scene) => `/operators/comments/${await comment(scene)}/delete`,
  ),
  act('/operators/accounts/:id/suspend', 'Suspend', ofOtherAccount('suspend')),
  act('/operators/accounts/:id/unsuspend', 'End the suspension', async ({ service }) => {
    const owner = await service.newOwner();
    await service.services.moderation.suspend(await service.accountOf(owner), { by: 'root', reason: null });
    return `/operators/accounts/${owner.userId}/unsuspend`;
  }),
  act('/operators/accounts/:id/revoke-tokens', 'Revoke and end all', ofOtherAccount('revoke-tokens')),
];

/** Of an act of an operator: the reason is asked for. */
function act(route: string, button: string, make: FormRow['make']): FormRow {
  return byOperator(route, button, make, field('#reason', 'A reason', long));
}

async function withReport({ service, slug }: Scene): Promise<string> {
  await createReportScene(service).newReporter('192.0.2.200').report(slug, { text: 'It is a copy' });
  const [report] = await service.services.reports.list({ slug, withClosed: true }, 1);
  return report?.id ?? '';
}

function ofOtherAccount(part: string) {
  return async ({ service }: Scene) => `/operators/accounts/${(await service.newOwner()).userId}/${part}`;
}
