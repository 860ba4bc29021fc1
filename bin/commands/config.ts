import { describeConfig, readConfig } from '../../shared/config.ts';

/**
 * Prints every setting with the value in force.
 * @throws ConfigError naming every fault
 */
export function config(env: Readonly<Record<string, string | undefined>>): void {
  const rows = describeConfig(readConfig(env));
  const nameWidth = Math.max(...rows.map(({ name }) => name.length));
  for (const { name, value, isDefault } of rows) {
    const mark = value !== '' && (isDefault || !env[name]) ? '  (default)' : '';
    process.stdout.write(`${name.padEnd(nameWidth)}  ${value || '(unset)'}${mark}\n`);
  }
}
