import type { Request } from 'express';
import type { Caller } from '../../../shared/domain/account.ts';
import type { Drop, WriteIds } from '../../../shared/domain/drop.ts';
import { nullIfNotFound } from '../../../shared/domain/errors.ts';
import type { Services } from '../../../shared/open-services.ts';
import { html, visible } from '../../html/html.ts';
import type { Layout } from '../../html/layout.ts';
import { readSlug, readVersionNumber } from '../../http/parameters.ts';
import { pageUrl } from '../../http/paths.ts';
import { confirmationPage } from './confirmation-page.ts';
import { confirmationHandlers } from './confirmations.ts';
import { pick } from './lookup.ts';
import { historyPaths } from './paths.ts';
import { versionFacts } from './section.ts';

type ChangeServices = Pick<Services, 'drops' | 'idempotency' | 'config'>;

/** What an owner does to versions and to the whole drop, each after a page that says what will happen. */
export function changeHandlers({ drops, idempotency, config }: ChangeServices, layout: Layout) {
  /** @throws DropError `not_found` */
  async function find(caller: Caller, req: Request) {
    const slug = readSlug(req);
    const drop = await drops.get(caller, slug);
    return { drop, versions: await drops.listVersions(caller, slug) };
  }

  const restore = confirmationHandlers(layout, {
    async page(req, { caller, formField }, envelope) {
      const { drop, versions } = await find(caller, req);
      const version = pick(versions, readVersionNumber(req));
      return confirmationPage({
        ...{ drop, envelope, formField, isDangerous: false },
        title: `Restore version ${version.number}?`,
        body: html`${versionFacts(version)}
<p>Viewers will see this version again: its HTML and context are published as a new version of ${name(drop)}. No version is lost, and title, description, tags and passcode stay as they are.</p>`,
        button: `Restore version ${version.number}`,
      });
    },
    async act(caller, target, req) {
      const number = readVersionNumber(req);
      // The same form sent twice restores once: its revision is a part of the key.
      const key = `restore form ${target.slug} ${number} ${target.revs}`;
      const write = (ids?: WriteIds) => drops.restoreVersion(caller, target, number, ids);
      await idempotency.once(caller, { key, hash: key }, target.slug, write);
      return `${historyPaths(target.slug).drop}?notice=restored#history`;
    },
  });

  const removeVersion = confirmationHandlers(layout, {
    async page(req, { caller, formField }, envelope) {
      const { drop, versions } = await find(caller, req);
      const version = pick(versions, readVersionNumber(req));
      const { number } = version;
      const next = versions.find((other) => other.number !== number);
      return confirmationPage({
        ...{ drop, envelope, isDangerous: true },
        title: `Delete version ${number}?`,
        formField: next === undefined ? null : formField,
        body: html`${versionFacts(version)}
${
  next === undefined
    ? html`<p>This is the only version of ${name(drop)}. It cannot be deleted alone: <a href="${historyPaths(drop.slug).remove}">delete the drop</a> instead.</p>`
    : html`<p>Version ${number} of ${name(drop)} and its context are deleted for everybody. This cannot be undone.</p>${number === drop.latestVersion && html`<p class="notice warn">Viewers see this version now. They will see version ${next.number} instead.</p>`}`
}`,
        button: `Delete version ${number}`,
      });
    },
    async act(caller, target, req) {
      const number = readVersionNumber(req);
      await drops.removeVersion(caller, target, number).catch(async (error: unknown) => {
        // A form that was sent twice: the version is deleted, as its owner wanted.
        const versions = await drops.listVersions(caller, target.slug);
        if (versions.some((version) => version.number === number)) throw error;
      });
      return `${historyPaths(target.slug).drop}?notice=version_deleted#history`;
    },
  });

  const removeDrop = confirmationHandlers(layout, {
    async page(req, { caller, formField }, envelope) {
      const { drop, versions } = await find(caller, req);
      const count = versions.length;
      return confirmationPage({
        ...{ drop, envelope, formField, isDangerous: true },
        title: 'Delete this drop?',
        body: html`<dl class="facts">
<div><dt>Title</dt><dd>${visible(drop.title)}</dd></div>
<div><dt>Address</dt><dd>${pageUrl(config.BASE_URL, drop.slug)}</dd></div>
<div><dt>Versions</dt><dd>${count}</dd></div>
<div><dt>Views</dt><dd>${drop.viewCount}</dd></div>
</dl>
<p>The page and ${count === 1 ? 'its version' : `all ${count} versions`} are deleted for everybody, and links to the address no longer work. This cannot be undone.</p>`,
        button: 'Delete the drop',
      });
    },
    async act(caller, target) {
      // A form that was sent twice: the drop is deleted, as its owner wanted.
      await drops.remove(caller, target).catch(nullIfNotFound);
      return '/drops?notice=deleted';
    },
  });

  return { restore, removeVersion, removeDrop };
}

function name({ title }: Pick<Drop, 'title'>) {
  return html`<b>${visible(title)}</b>`;
}
