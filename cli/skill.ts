import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { ask } from './ask.ts';
import type { Context } from './context.ts';
import { CliError, usageError } from './errors.ts';
import { errorCode, fileError } from './faults.ts';
import { hasFields, isListOf, isText } from './guards.ts';
import { createFile } from './locked-file.ts';

const indexPath = '/.well-known/agent-skills/index.json';

/** The index, as the Agent Skills discovery 0.2.0 defines it. */
const isSkillIndex = hasFields({
  skills: isListOf(
    hasFields({
      name: isText,
      type: isText,
      /** Absolute, or relative to the index. */
      url: isText,
      /** `sha256:` and 64 hexadecimal digits. */
      digest: isText,
    }),
  ),
});

interface Skill {
  readonly name: string;
  readonly bytes: Uint8Array;
}

/**
 * Writes the service's skills to `FOLDER/NAME/SKILL.md`. @param dir the folder; undefined: asks on the terminal
 * @throws CliError if a file exists with another content, or the content is not what the index promises
 */
export async function installSkill(context: Context, dir: string | undefined): Promise<void> {
  const folder = dir === undefined ? await askForFolder(context) : expandHome(dir, context.io.homeDir);
  const paths: string[] = [];
  for (const { name, bytes } of await fetchSkills(context)) {
    const path = join(resolve(context.io.cwd, folder), name, 'SKILL.md');
    const isNew = writeNew(path, bytes);
    context.output.act(path);
    context.output.note(isNew ? `Installed ${name}:` : `${name} is installed already:`);
    paths.push(path);
  }
  context.output.result({ files: paths }, paths.join('\n'));
}

function foldersOf(homeDir: string): readonly (readonly [path: string, use: string])[] {
  return [
    [join(homeDir, '.claude', 'skills'), 'Claude Code, in all projects'],
    [join('.claude', 'skills'), 'Claude Code, in this project'],
    [join(homeDir, '.agents', 'skills'), 'Codex and other agents, in all projects'],
    [join('.agents', 'skills'), 'Codex and other agents, in this project'],
  ];
}

async function askForFolder({ io, canAsk, output, name }: Context): Promise<string> {
  const folders = foldersOf(io.homeDir);
  if (!canAsk) {
    const choices = folders.map(([path, use]) => `\n  --dir ${path}  (${use})`).join('');
    throw usageError(`there is no terminal to ask for the folder. Name one:${choices}`);
  }
  output.note('Where is the skill to be installed?');
  folders.forEach(([path, use], index) => void output.note(`  ${index + 1}  ${path}  (${use})`));
  const answer = (await ask(io, `1 to ${folders.length}, or a folder: `, true)).trim();
  const chosen = folders[Number(answer) - 1]?.[0] ?? answer;
  if (chosen === '' || /^\d+$/.test(chosen))
    throw usageError(`no folder was chosen. Run ${name} skill install again`);
  return expandHome(chosen, io.homeDir);
}

/** `~` is the shell's business, but not where a path was typed at a question, nor in `--dir=~/x`. */
function expandHome(path: string, homeDir: string): string {
  return /^~(?=$|[\\/])/.test(path) ? join(homeDir, path.slice(1)) : path;
}

async function fetchSkills({ api, url }: Context): Promise<Skill[]> {
  const index = await api.request('GET', indexPath, { isPublic: true });
  const entries = index.json(isSkillIndex).skills.filter(({ type }) => type === 'skill-md');
  if (entries.length === 0) throw new CliError(`${url} offers no skill`);
  return Promise.all(
    entries.map(async (entry) => {
      // It becomes the name of a folder.
      if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(entry.name))
        throw new CliError(`${url} offers a skill without a valid name`);
      const address = new URL(entry.url, url + indexPath);
      if (address.origin !== url)
        throw new CliError(`the skill ${entry.name} is on another host: ${address.origin}`);
      const { bytes } = await api.request('GET', address.pathname, { isPublic: true });
      const digest = `sha256:${createHash('sha256').update(bytes).digest('hex')}`;
      if (digest === entry.digest) return { name: entry.name, bytes };
      throw new CliError(
        `the skill ${entry.name} is not what its digest says: nothing was installed. Try again later`,
      );
    }),
  );
}

/** @returns false if the file exists with this content @throws CliError if it exists with another */
function writeNew(path: string, bytes: Uint8Array): boolean {
  try {
    mkdirSync(dirname(path), { recursive: true });
    createFile(path, bytes);
    return true;
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw fileError('write', path, error);
    if (Buffer.compare(readFileSync(path), bytes) === 0) return false;
    throw new CliError(`${path} exists with another content: remove it to install this skill`);
  }
}
