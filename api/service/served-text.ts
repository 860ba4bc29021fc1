import { readFileSync } from 'node:fs';
import type { Config } from '../../shared/config/config.ts';

const folder = new URL('../../docs/served/', import.meta.url);

/**
 * A text that the service shows to people or agents: a file of docs/served, in which `{{NAME}}` stands for a setting, or for one
 * of `values`. @throws Error for another name
 */
export function readServedText(
  file: string,
  config: Config,
  values: Readonly<Record<string, string>> = {},
): string {
  const known = new Map<string, unknown>(Object.entries({ ...config, ...values }));
  return readFileSync(new URL(file, folder), 'utf8').replace(/\{\{(\w+)\}\}/g, (_, name: string) => {
    if (!known.has(name)) throw new Error(`docs/served/${file}: there is no setting ${name}`);
    return String(known.get(name));
  });
}
