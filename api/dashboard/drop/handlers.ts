import type { Request, Response } from 'express';
import type { Caller } from '../../../shared/domain/account.ts';
import { type Drop, hasVersion } from '../../../shared/domain/drop.ts';
import { DropError, nullIfNotFound } from '../../../shared/domain/errors.ts';
import type { Services } from '../../../shared/open-services.ts';
import { createDropBodyReaders } from '../../drops/requests.ts';
import { readRevisions } from '../../drops/target-fields.ts';
import type { Layout } from '../../html/layout.ts';
import { setStatusAndHeaders } from '../../http/answer-error.ts';
import { type ErrorEnvelope, presentError } from '../../http/http-error.ts';
import { readSlug } from '../../http/parameters.ts';
import { ownerPath } from '../../http/paths.ts';
import { sendPage } from '../../http/send.ts';
import type { Session } from '../../http/session.ts';
import { createPreviews, type Preview } from '../../pages/frame.ts';
import { sourceHandlers } from '../../source/html.ts';
import {
  afterConflict,
  type EditValues,
  isLive,
  readValues,
  toPatchBody,
  valuesOf,
  withMoreRows,
} from './edit-form.ts';
import { editPage } from './edit-page.ts';
import { dropPage } from './page.ts';
import { passcodePage } from './passcode-page.ts';
import { rangeOf } from './views-section.ts';

type Form = ReadonlyMap<string, string>;

/** /drops/{slug}: one drop for its owner, and the forms that change it. */
export function ownedDropHandlers(services: Services, layout: Layout) {
  const { drops, pages, viewStats, config } = services;
  const bodies = createDropBodyReaders(config);
  const makePreview = createPreviews(services);
  const source = sourceHandlers(services);
  const maxTags = config.METADATA_MAX_KEYS;

  /** null: the page is taken down or gone; `drops.get` says which. It is found by its slug alone, so the owner is compared. */
  async function previewOf({ ownerId }: Caller, slug: string): Promise<Preview | null> {
    const page = await pages.find(slug, null).catch(nullIfNotFound);
    return page !== null && page.ownerId === ownerId && !page.isTakenDown && hasVersion(page)
      ? makePreview(page)
      : null;
  }

  /** A drop whose details may be changed; otherwise leads to its page, which says why not. */
  async function findChangeable(req: Request, res: Response, session: Session): Promise<Drop | null> {
    const drop = await drops.get(session.caller, readSlug(req));
    if (drop.takedown === null) return drop;
    res.redirect(303, ownerPath(drop.slug));
    return null;
  }

  function sendEdit(
    res: Response,
    session: Session,
    form: { drop: Drop; values: EditValues; status?: number; envelope?: ErrorEnvelope },
  ): void {
    const { status = 200, ...rest } = form;
    const parts = editPage({ ...rest, formField: session.formField, maxTags });
    sendPage(res, status, layout.dashboard(session, 'drops', parts));
  }

  function sendPasscode(
    res: Response,
    session: Session,
    form: { drop: Drop; status?: number; envelope?: ErrorEnvelope },
  ): void {
    const { status = 200, ...rest } = form;
    const minCharacters = config.PASSCODE_MIN_CHARACTERS;
    const parts = passcodePage({ ...rest, formField: session.formField, minCharacters });
    sendPage(res, status, layout.dashboard(session, 'drops', parts));
  }

  return {
    async show(req: Request, res: Response, session: Session): Promise<void> {
      const { caller, formField } = session;
      const slug = readSlug(req);
      const range = rangeOf(req.query.days);
      const [drop, stats, preview, versions] = await Promise.all([
        drops.get(caller, slug),
        viewStats.read(caller, slug, range.days),
        previewOf(caller, slug),
        drops.listVersions(caller, slug),
      ]);
      const { notice } = req.query;
      const parts = { drop, stats, range, preview, versions, baseUrl: config.BASE_URL, notice, formField };
      sendPage(res, 200, layout.dashboard(session, 'drops', dropPage(parts)));
    },

    /** The latest version, as it was posted. */
    download: (req: Request, res: Response, { caller }: Session) => source.readLatest(req, res, caller),

    async showEdit(req: Request, res: Response, session: Session): Promise<void> {
      const drop = await findChangeable(req, res, session);
      if (drop !== null) sendEdit(res, session, { drop, values: valuesOf(drop, maxTags) });
    },

    /** One write. After a conflict the form has the revision that is live, so that sending it again replaces that. */
    async edit(req: Request, res: Response, session: Session, form: Form): Promise<void> {
      const { caller } = session;
      const slug = readSlug(req);
      const values = readValues(form);
      const drop = await drops.get(caller, slug);
      if (form.get('action') === 'more-tags') {
        sendEdit(res, session, { drop, values: withMoreRows(values, maxTags) });
        return;
      }
      try {
        const changes = bodies.readPatch(toPatchBody(values, drop));
        await drops.change(caller, { slug, revs: readRevisions(values.ifMatch) }, changes);
        res.redirect(303, `${ownerPath(slug)}?notice=saved`);
      } catch (error) {
        if (!(error instanceof DropError)) throw error;
        const now = await drops.get(caller, slug);
        const isConflict = error.code === 'version_conflict';
        if (isConflict && isLive(values, now, maxTags)) {
          res.redirect(303, `${ownerPath(slug)}?notice=saved`);
          return;
        }
        const shown = isConflict ? afterConflict(values, now, maxTags) : values;
        const status = setStatusAndHeaders(res, error);
        sendEdit(res, session, { drop: now, values: shown, status, envelope: presentError(error) });
      }
    },

    async showPasscode(req: Request, res: Response, session: Session): Promise<void> {
      const drop = await findChangeable(req, res, session);
      if (drop !== null) sendPasscode(res, session, { drop });
    },

    /** An empty passcode removes it in the API; here only the button for it does. */
    async setPasscode(req: Request, res: Response, session: Session, form: Form): Promise<void> {
      const { caller } = session;
      const slug = readSlug(req);
      const isRemoval = form.get('action') === 'remove';
      try {
        const passcode = isRemoval
          ? ''
          : bodies.readPasscode({ passcode: form.get('passcode') || undefined });
        const revs = readRevisions(form.get('if_match') ?? '');
        await drops.setPasscode(caller, { slug, revs }, passcode);
        res.redirect(303, `${ownerPath(slug)}?notice=${isRemoval ? 'unlocked' : 'locked'}`);
      } catch (error) {
        if (!(error instanceof DropError)) throw error;
        const drop = await drops.get(caller, slug);
        const status = setStatusAndHeaders(res, error);
        sendPasscode(res, session, { drop, status, envelope: presentError(error) });
      }
    },
  };
}
