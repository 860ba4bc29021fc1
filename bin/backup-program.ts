import type { Command } from 'commander';
import type { ProcessIo } from './process-io.ts';

export function addBackupCommand(program: Command, io: ProcessIo): void {
  program
    .command('backup')
    .summary('copy the data of the embedded engine')
    .description(
      'Copies DATA_DIR into a new folder of DIR, named by the time (UTC): the database and the secrets that the service ' +
        'generated. The service may run meanwhile. The copy is checked before it gets its name; without enough space there ' +
        'is none. It is as secret as the data: only this user may read it. To restore it, stop the service, move DATA_DIR ' +
        'away, and copy the folder to DATA_DIR.',
    )
    .argument('<dir>', 'the folder of the backups, of one service alone; it is created if it is missing')
    .option('-k, --keep <count>', 'then remove older backups of this data, so that this many stay')
    .addHelpText('after', '\nExample:\n  bin/dropleaf.js backup /var/backups/dropleaf --keep 7')
    .action(async (dir: string, options: { keep?: string }) => {
      const { backup } = await import('./commands/backup.ts');
      await backup(dir, options, io);
    });
}
