import type { Context } from './context.ts';
import type { CliIo } from './io.ts';

/** No shell reads the address: on Windows `start` would run what follows an `&` in it. */
const openers: Readonly<Partial<Record<NodeJS.Platform, readonly [string, ...string[]]>>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};

/** Opens an http(s) address in the user's browser. @returns whether a program that opens it could be started */
export async function openInBrowser(
  address: string,
  { platform }: Pick<CliIo, 'platform'>,
): Promise<boolean> {
  if (!/^https?:$/.test(new URL(address).protocol)) throw new Error('Only pages are opened');
  const [program, ...args] = openers[platform] ?? ['xdg-open'];
  const { spawn } = await import('node:child_process');
  return new Promise((resolve) => {
    const child = spawn(program, [...args, address], { detached: true, stdio: 'ignore' });
    child.once('error', () => resolve(false));
    child.once('spawn', () => {
      child.unref();
      resolve(true);
    });
  });
}

/** For commands that are done also without a browser. @param address http or https */
export async function openOrWarn(
  { io, output }: Pick<Context, 'io' | 'output'>,
  address: string,
): Promise<void> {
  if (!(await openInBrowser(address, io)))
    output.warn('no browser could be started: open the address yourself');
}
