import { expect } from 'chai';
import { dropleaf, type Env, type Outcome } from './command.ts';
import { publish } from './home.ts';

/** Runs admin commands, and looks at their effect in the service at `base()`. */
export function createAdminScene(env: () => Env, base: () => string) {
  const admin = (...args: string[]): Promise<Outcome> => dropleaf(['admin', ...args], env());

  async function newToken(user: string): Promise<string> {
    const { stdout, stderr } = await dropleaf(['token', '--user', user], env());
    expect(stderr).to.equal('');
    return stdout.trim();
  }

  return {
    admin,
    newToken,

    /** Expects success. @returns stdout */
    async act(...args: string[]): Promise<string> {
      const { stdout, stderr, code } = await admin(...args);
      expect({ stderr, code }, args.join(' ')).to.deep.equal({ stderr: '', code: 0 });
      return stdout;
    },

    /** Expects that exit code and nothing on stdout. @returns stderr */
    async fail(exitCode: 1 | 2, ...args: string[]): Promise<string> {
      const { stdout, stderr, code } = await admin(...args);
      expect({ stdout, code }, args.join(' ')).to.deep.equal({ stdout: '', code: exitCode });
      return stderr;
    },

    /** A new account with a page. */
    async publisher(user: string) {
      const token = await newToken(user);
      return { token, ...(await publish(base(), token, '<p>A page')) };
    },

    statusOf: async (url: string) => (await fetch(url)).status,

    /** The status of a change of the page's title. */
    async statusOfPatch(slug: string, token: string): Promise<number> {
      const response = await fetch(`${base()}/api/drops/${slug}`, {
        method: 'PATCH',
        headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ title: 'Another' }),
      });
      await response.arrayBuffer();
      return response.status;
    },
  };
}
