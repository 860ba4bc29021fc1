import { describeConfig } from '../../shared/config.ts';
import { type Env, isFromFile, readSettings } from '../env.ts';

/**
 * Prints every setting with the value in force.
 * @throws ConfigError naming every fault
 */
export function config(env: Env): void {
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
