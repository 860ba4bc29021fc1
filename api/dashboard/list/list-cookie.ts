import type { IncomingMessage, ServerResponse } from 'node:http';
import { type Config, isHttps } from '../../../shared/config/config.ts';
import { cookieName, readCookies, setCookie } from '../../http/cookies.ts';
import { dashboardPaths } from '../../http/paths.ts';
import { type Choices, defaultChoices, keyOrDefault, type ListAddress, sorts, views } from './address.ts';

const name = 'dropleaf_list';
const keptSeconds = 400 * 24 * 60 * 60;

/** View and sort of the last list, which the browser keeps: `list.changed`. */
export function createChoices(config: Config) {
  const rules = { path: dashboardPaths.drops, isSecure: isHttps(config) };
  return {
    read(req: IncomingMessage): Choices {
      const [text = ''] = readCookies(req.headers.cookie, cookieName(name, rules));
      const [view, sort] = text.split('.');
      return {
        view: keyOrDefault(views, view, defaultChoices.view),
        sort: keyOrDefault(sorts, sort, defaultChoices.sort),
      };
    },

    /** Remembers what the address says. Returns it with links for a browser that does. */
    write(res: ServerResponse, address: ListAddress): ListAddress {
      const { view, sort, remembered } = address;
      if (view !== remembered.view || sort !== remembered.sort)
        setCookie(res, name, `${view}.${sort}`, { ...rules, seconds: keptSeconds });
      return { ...address, remembered: { view, sort } };
    },
  };
}
