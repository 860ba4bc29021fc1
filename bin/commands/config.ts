import { describeConfig } from '../../shared/config/config.ts';
import { describeMisspelt, type Env, isFromFile, readSettings } from '../env.ts';

/**
 * Prints every setting with the value in force, and warns of names that resemble one.
 * @throws ConfigError naming every fault
 */
export function config(env: Env): void {
  for (const warning of describeMisspelt(env)) process.stderr.write(`dropleaf: ${warning}\n`);
  const rows = describeConfig(readSettings(env));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, value, isDefault } of rows) {
    const mark = isFromFile(env, name)
      ? '  (from file)'
      : value !== '' && (isDefault || !env[name])
        ? '  (default)'
        : '';
    process.stdout.write(`${name.padEnd(nameWidth)}  ${value || '(unset)'}${mark}\n`);
  }
}
