import { rmSync } from 'node:fs';
import { expect } from 'chai';
import { createFileSecretStore } from '../../shared/adapters/files/secret-store.ts';
import { createSealer } from '../../shared/adapters/jose/sealer.ts';
import type { SecretStore } from '../../shared/ports/secret-store.ts';
import { createSigningSecrets } from '../../shared/services/signing-secrets.ts';
import { createTestClock, type TestClock } from '../support/clock.ts';
import { makeTempDir } from '../support/temp-dir.ts';
import { createRecordingLog } from '../worker/recording-log.ts';

const second = 1_000;
const hour = 3_600_000;
const config = {
  SIGNING_SECRET: '',
  SIGNING_SECRETS_ACCEPTED: '',
  UNLOCK_SECONDS: 86_400,
  GRANT_SECONDS: 3_600,
  SIGN_IN_TTL_SECONDS: 600,
};

describe('Signing secrets', () => {
  let dir: string;
  let clock: TestClock;

  beforeEach(() => {
    dir = makeTempDir();
    clock = createTestClock();
  });

  afterEach(() => rmSync(dir, { recursive: true }));

  /** One of the processes that work on the same data. @param adapt puts faults before the store */
  async function startProcess({
    adapt = (store: SecretStore) => store,
    ownClock = clock as Pick<TestClock, 'now'>,
    settings = {},
  } = {}) {
    const log = createRecordingLog();
    const store = adapt(createFileSecretStore(dir));
    const secrets = createSigningSecrets({ store, clock: ownClock, log, config: { ...config, ...settings } });
    await secrets.open();
    const sealer = createSealer(secrets.accepted, clock);
    const seal = () => sealer.seal('cookie', { ok: true }, clock.now() + config.UNLOCK_SECONDS * second);
    const opens = async (sealed: string) => (await sealer.open('cookie', sealed)) !== null;
    return { secrets, log, seal, opens };
  }

  const signing = async ({ secrets }: Awaited<ReturnType<typeof startProcess>>) =>
    (await secrets.accepted())[0];

  it('are made once, and are the same for all processes', async () => {
    const [one, two] = [await startProcess(), await startProcess()];
    expect(await one.opens(await two.seal())).to.equal(true);
    expect(await one.secrets.accepted()).to.have.length(1);
  });

  it('are replaced beside running processes, and none of them ever refuses what another signs', async () => {
    // They look at moments of their own, and one has a clock that is a minute ahead.
    const ahead = { now: () => clock.now() + 60 * second };
    const processes: Awaited<ReturnType<typeof startProcess>>[] = [];
    for (const ownClock of [clock, clock, ahead]) {
      processes.push(await startProcess({ ownClock }));
      clock.advance(10 * second);
    }
    const before = await signing(processes[0] ?? expect.fail());
    const old = await processes[0]?.seal();
    expect(await processes[1]?.secrets.rotate()).to.include({ outcome: 'added' });
    for (let at = 0; at < 300; at += 5) {
      const sealed = await Promise.all(processes.map((each) => each.seal()));
      for (const each of processes) {
        for (const text of [...sealed, old ?? '']) expect(await each.opens(text), `${at} s`).to.equal(true);
      }
      clock.advance(5 * second);
    }
    const now = await Promise.all(processes.map(signing));
    expect(new Set(now).size).to.equal(1);
    expect(now[0]).to.not.equal(before);
  });

  it('that are new are looked for, once a second at most, by a process that meets what an unknown one has sealed', async () => {
    let looks = 0;
    const late = await startProcess({
      adapt: (store) => ({
        ...store,
        listSigning: (fresh) => {
          looks += 1;
          return store.listSigning(fresh);
        },
      }),
    });
    // Its clock is so far ahead that it signs with the new one at once, and nobody else has looked since.
    const ahead = await startProcess({ ownClock: { now: () => clock.now() + 121 * second } });
    await late.secrets.rotate();
    clock.advance(second);
    const hurried = await startProcess({ ownClock: { now: () => clock.now() + 121 * second } });
    const sealed = await hurried.seal();
    looks = 0;
    expect(await late.opens(sealed)).to.equal(true);
    expect(looks).to.equal(1);
    const old = await ahead.seal();
    clock.advance(second);
    expect(await late.opens(old)).to.equal(true);
    expect(looks, 'what is known').to.equal(1);
    clock.advance(-second);
    const forged = sealed.replace(
      /^[^.]+/,
      Buffer.from('{"alg":"dir","enc":"A256GCM","kid":"no"}').toString('base64url'),
    );
    for (let n = 0; n < 20; n++) expect(await late.opens(forged)).to.equal(false);
    expect(looks, 'within the second').to.equal(1);
    clock.advance(second);
    for (let n = 0; n < 20; n++) expect(await late.opens(forged)).to.equal(false);
    expect(looks).to.equal(2);
    for (const broken of ['', 'x', 'a.b.c.d.e']) expect(await late.opens(broken)).to.equal(false);
    clock.advance(second);
    expect(await late.opens('x')).to.equal(false);
    expect(looks, 'what was never sealed').to.equal(2);
  });

  it('sign from two minutes after they were made, and are known to each process within 30 seconds', async () => {
    const running = await startProcess();
    const before = await signing(running);
    const rotation = await (await startProcess()).secrets.rotate();
    expect(rotation).to.deep.equal({ outcome: 'added', signsFrom: clock.now() + 120 * second });
    clock.advance(30 * second);
    expect(await running.secrets.accepted()).to.have.length(2);
    clock.advance(90 * second - 1);
    expect(await signing(running)).to.equal(before);
    clock.advance(1);
    expect(await signing(running)).to.not.equal(before);
  });

  it('are accepted until the last thing that they have signed is over, and then removed', async () => {
    const process = await startProcess();
    const [before] = await process.secrets.accepted();
    await process.secrets.rotate();
    clock.advance(120 * second - 1);
    const last = await process.seal();
    clock.advance(config.UNLOCK_SECONDS * second - 1);
    expect(await process.opens(last)).to.equal(true);
    await process.secrets.forgetRetired();
    expect(await process.secrets.accepted()).to.include(before);
    clock.advance(hour + 2);
    expect(await process.secrets.accepted())
      .to.have.length(1)
      .and.not.include(before);
    await process.secrets.forgetRetired();
    expect(await createFileSecretStore(dir).listSigning('fresh')).to.have.length(1);
    expect(process.log.lines.map(({ fields }) => fields)).to.deep.equal([{ secrets: 1 }]);
  });

  it('may be replaced by two at once: each adds its own, and nobody is signed out', async () => {
    const [one, two] = [await startProcess(), await startProcess()];
    const sealed = await one.seal();
    const rotations = await Promise.all([one.secrets.rotate(), two.secrets.rotate()]);
    for (const { outcome } of rotations) expect(outcome).to.be.oneOf(['added', 'one_is_waiting']);
    for (let at = 0; at < 200; at += 10) {
      clock.advance(10 * second);
      for (const each of [one, two]) {
        expect(await each.opens(sealed)).to.equal(true);
        expect(await each.opens(await one.seal())).to.equal(true);
        expect(await each.opens(await two.seal())).to.equal(true);
      }
    }
    expect(await signing(one)).to.equal(await signing(two));
  });

  it('are not replaced while one waits to sign, nor without end', async () => {
    const { secrets } = await startProcess();
    const added = await secrets.rotate();
    expect(await secrets.rotate()).to.deep.equal({ ...added, outcome: 'one_is_waiting' });
    for (let n = 2; n < 20; n++) {
      clock.advance(120 * second);
      expect(await secrets.rotate(), `${n}`).to.include({ outcome: 'added' });
    }
    clock.advance(120 * second);
    expect(await secrets.rotate()).to.deep.equal({ outcome: 'too_many' });
  });

  it('that somebody has seen are void in every process within 30 seconds, those to come too', async () => {
    const [one, two] = [await startProcess(), await startProcess()];
    const sealed = await two.seal();
    await one.secrets.rotate();
    await one.secrets.rotate({ atOnce: true });
    clock.advance(30 * second);
    for (const each of [one, two]) {
      expect(await each.opens(sealed)).to.equal(false);
      expect(await each.secrets.accepted()).to.have.length(1);
      expect(await each.opens(await one.seal())).to.equal(true);
    }
    clock.advance(150 * second);
    expect(await one.opens(await two.seal())).to.equal(true);
  });

  it('are whole after a rotation that died at any step, and it may be repeated', async () => {
    const sealed = await (await startProcess()).seal();
    const dying = await startProcess({
      adapt: (store) => ({ ...store, removeSigning: () => Promise.reject(new Error('killed')) }),
    });
    const died: unknown = await dying.secrets.rotate({ atOnce: true }).catch((error: unknown) => error);
    expect(died).to.be.an('error');
    clock.advance(30 * second);
    const after = await startProcess();
    expect(await after.opens(sealed), 'added, and the old one not removed yet').to.equal(true);
    expect(await after.opens(await after.seal())).to.equal(true);
    await after.secrets.rotate({ atOnce: true });
    clock.advance(30 * second);
    expect(await after.opens(sealed)).to.equal(false);
    expect(await after.opens(await after.seal())).to.equal(true);
  });

  it('serve on while they cannot be read again, which is logged', async () => {
    let isAway = false;
    const process = await startProcess({
      adapt: (store) => ({
        ...store,
        listSigning: (fresh) => (isAway ? Promise.reject(new Error('away')) : store.listSigning(fresh)),
      }),
    });
    const sealed = await process.seal();
    isAway = true;
    clock.advance(hour);
    expect(await process.opens(sealed)).to.equal(true);
    expect(process.log.lines.map(({ level }) => level)).to.deep.equal(['warn']);
    isAway = false;
    await (await startProcess()).secrets.rotate();
    clock.advance(30 * second);
    expect(await process.secrets.accepted()).to.have.length(2);
  });

  it('while a look hangs: all who ask wait for one, a second at most, and who comes then does not wait again', async () => {
    let looks = 0;
    let isHanging = false;
    const process = await startProcess({
      adapt: (store) => ({
        ...store,
        listSigning: (fresh) => {
          looks += 1;
          return isHanging ? new Promise(() => undefined) : store.listSigning(fresh);
        },
      }),
    });
    const known = await process.secrets.accepted();
    looks = 0;
    isHanging = true;
    clock.advance(hour);
    const asked = Array.from({ length: 5 }, () => process.secrets.accepted());
    for (const answer of await Promise.all(asked)) expect(answer).to.deep.equal(known);
    clock.advance(hour);
    const soon = new Promise((resolve) => setImmediate(resolve, 'it waits'));
    expect(await Promise.race([process.secrets.accepted(), soon])).to.deep.equal(known);
    expect(looks).to.equal(1);
  });

  it('of the settings take the place of those that are kept, and are replaced in three steps', async () => {
    const [old, next] = ['o'.repeat(32), 'n'.repeat(32)];
    const settings = (signs: string, accepted: string) =>
      startProcess({ settings: { SIGNING_SECRET: signs, SIGNING_SECRETS_ACCEPTED: accepted } });
    const steps = [
      await settings(old, ''),
      await settings(old, next),
      await settings(next, `other-${old}, ${old}`),
    ];
    for (const [i, one] of steps.entries()) {
      const neighbours = steps.slice(Math.max(0, i - 1), i + 2); // one release is rolled out at a time
      for (const other of neighbours) expect(await other.opens(await one.seal()), `${i}`).to.equal(true);
    }
    expect(await signing(steps[2] ?? expect.fail())).to.equal(next);
    const last = await settings(next, '');
    expect(await last.opens((await steps[0]?.seal()) ?? '')).to.equal(false);
  });
});
