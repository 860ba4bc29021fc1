import type { Request } from 'express';
import { nullIfNotFound } from '../../../shared/domain/errors.ts';
import type { Drop, OwnedVersion, WriteIds } from '../../../shared/drops/drop.ts';
import type { Target } from '../../../shared/drops/drops.ts';
import type { Services } from '../../../shared/engines/open-services.ts';
import { limitTable } from '../../../shared/limits/limit-table.ts';
import { fact } from '../../html/elements.ts';
import { html, visible } from '../../html/html.ts';
import { readSlug, readVersionNumber } from '../../http/parameters.ts';
import { dashboardPaths, pageUrl } from '../../http/paths.ts';
import type { Route } from '../../http/route.ts';
import type { RouteParts } from '../../http/route-parts.ts';
import type { BrowserSession } from '../../http/session.ts';
import { conflictText, dropCrumbs, revisionField, targetOf } from '../drop/revision-field.ts';
import { dashboardPages, type FormAct, type Question } from '../pages.ts';
import { dropPaths } from '../paths.ts';
import { historyStyles, pick, versionFacts } from './versions.ts';

/** What an act on a drop asks and does, besides what they all do. */
interface Change {
  ask(drop: Drop, versions: readonly OwnedVersion[], req: Request): Asked;
  /** Does it, to the drop as the page showed it. @returns where it leads */
  perform(session: BrowserSession, target: Target, req: Request): Promise<string>;
}

type Asked = Omit<Question, 'crumbs' | 'fields' | 'back' | 'fault' | 'styles'>;

const stillWanted = 'Nothing was done. Check whether you still want this.';

/** What an owner does to versions and to the whole drop, each after a page that says what will happen. */
export function changeRoutes(parts: RouteParts): readonly Route[] {
  const { services } = parts;
  const pages = dashboardPages(parts, 'drops');
  const paths = dropPaths(':slug');
  return [
    ...pages.confirmed(paths.restore(':n'), limitTable.write, actOf(services, restore(services))),
    ...pages.confirmed(
      paths.removeVersion(':n'),
      limitTable.change,
      actOf(services, removeVersion(services)),
    ),
    ...pages.confirmed(paths.remove, limitTable.change, actOf(services, removeDrop(services))),
  ];
}

function actOf({ drops }: Services, change: Change): FormAct {
  return {
    async ask(req, { caller }, attempt) {
      const slug = readSlug(req);
      const drop = await drops.get(caller, slug);
      return {
        ...change.ask(drop, await drops.listVersions(caller, slug), req),
        crumbs: dropCrumbs(drop),
        fields: revisionField(drop),
        back: dropPaths(slug).drop,
        fault: conflictText(drop, attempt?.error, stillWanted),
        styles: historyStyles,
      };
    },
    perform: (req, _, session, form) => change.perform(session, targetOf(req, form.get('if_match')), req),
  };
}

function restore({ drops, idempotency }: Services): Change {
  return {
    ask(drop, versions, req) {
      const version = pick(versions, readVersionNumber(req));
      return {
        title: `Restore version ${version.number}?`,
        body: html`${versionFacts(version)}
<p>Viewers will see this version again: its HTML and context are published as a new version of <b>${visible(drop.title)}</b>. No version is lost, and title, description, tags and passcode stay as they are.</p>`,
        button: `Restore version ${version.number}`,
      };
    },
    async perform({ caller }, target, req) {
      const number = readVersionNumber(req);
      // The same form sent twice restores once: its revision is a part of the key.
      const key = `restore form ${target.slug} ${number} ${target.revs}`;
      const write = (ids?: WriteIds) => drops.restoreVersion(caller, target, number, ids);
      await idempotency.once(caller, { key, hash: key }, target.slug, write);
      return `${dropPaths(target.slug).drop}?notice=restored-${number}#history`;
    },
  };
}

function removeVersion({ drops }: Services): Change {
  return {
    ask(drop, versions, req) {
      const version = pick(versions, readVersionNumber(req));
      const { number } = version;
      const next = versions.find((other) => other.number !== number);
      const name = html`<b>${visible(drop.title)}</b>`;
      return {
        title: `Delete version ${number}?`,
        body: html`${versionFacts(version)}
${next && html`<p>Version ${number} of ${name} and its context are deleted for everybody. This cannot be undone.</p>${number === drop.latestVersion && html`<p class="notice warn">Viewers see this version now. They will see version ${next.number} instead.</p>`}`}`,
        refusal: next
          ? null
          : html`This is the only version of ${name}. It cannot be deleted alone: <a href="${dropPaths(drop.slug).remove}">delete the drop</a> instead.`,
        button: `Delete version ${number}`,
        isDangerous: true,
      };
    },
    async perform({ caller }, target, req) {
      const number = readVersionNumber(req);
      await drops.removeVersion(caller, target, number).catch(async (error: unknown) => {
        // A form that was sent twice: the version is deleted, as its owner wanted.
        const versions = await drops.listVersions(caller, target.slug);
        if (versions.some((version) => version.number === number)) throw error;
      });
      return `${dropPaths(target.slug).drop}?notice=version_deleted#history`;
    },
  };
}

function removeDrop({ drops, config }: Services): Change {
  return {
    ask: (drop, { length: count }) => ({
      title: 'Delete this drop?',
      body: html`<dl class="facts">
${fact('Title', visible(drop.title))}
${fact('Address', pageUrl(config.BASE_URL, drop.slug))}
${fact('Versions', count)}
${fact('Views', drop.viewCount)}
</dl>
<p>The page and ${count === 1 ? 'its version' : `all ${count} versions`} are deleted for everybody, and links to the address no longer work. This cannot be undone.</p>`,
      button: 'Delete the drop',
      isDangerous: true,
    }),
    async perform({ caller }, target) {
      // A form that was sent twice: the drop is deleted, as its owner wanted.
      await drops.remove(caller, target).catch(nullIfNotFound);
      return `${dashboardPaths.drops}?notice=deleted`;
    },
  };
}
