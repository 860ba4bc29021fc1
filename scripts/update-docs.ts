import { readFileSync, writeFileSync } from 'node:fs';
import { withSettingsTable } from './settings-table.ts';

// `npm run docs`: run from the project's root.
writeFileSync('README.md', withSettingsTable(readFileSync('README.md', 'utf8')));
