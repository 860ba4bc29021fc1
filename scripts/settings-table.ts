import { optionEntries } from '../shared/config/config.ts';

const start = '<!-- settings: made from shared/config/options.ts by `npm run docs`; a test compares -->\n';
const end = '<!-- /settings -->';

/** The README with its table of settings made anew. @throws Error where the README has no place for it */
export function withSettingsTable(readme: string): string {
  const from = readme.indexOf(start);
  const to = readme.indexOf(end);
  if (from < 0 || to < from) throw new Error('README.md has lost the marks around its table of settings');
  return readme.slice(0, from + start.length) + settingsTable() + readme.slice(to);
}

function settingsTable(): string {
  const rows = optionEntries().map(([name, option]) => {
    const fallback = option.fallback === '' ? '' : `\`${option.fallback}\``;
    const names = option.secret ? `\`${name}\` or \`…_FILE\`` : `\`${name}\``;
    return `| ${names} | ${fallback} | ${option.about} |\n`;
  });
  return `| name | default | |\n|---|---|---|\n${rows.join('')}`;
}
