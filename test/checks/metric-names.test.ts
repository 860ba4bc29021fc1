import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { scrapeText, withMetrics } from '../support/scrape.ts';
import { useServices } from '../support/service.ts';

const read = (path: string) => readFileSync(new URL(`../../../deploy/${path}`, import.meta.url), 'utf8');
const alerts = read('prometheus/alerts.yml');
const names = [...alerts.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name);

describe('deploy/', () => {
  const startOwn = useServices();

  it('names only metrics that the service has, in the dashboard and in the rules', async () => {
    const edge = { EDGE_PURGER: 'http', EDGE_PURGE_URL: 'http://127.0.0.1:9' }; // nothing is purged here
    const service = await startOwn({ env: { ...withMetrics, ...edge } });
    const text = await scrapeText(service);
    const known = new Set(text.match(/(?<=^# TYPE )\w+/gm));
    for (const file of [alerts, read('grafana.json'), read('prometheus/alerts.test.yml')]) {
      const named = file.match(/\b(?:dropleaf|nodejs|process)_\w+/g) ?? [];
      const metrics = new Set(named.map((name) => name.replace(/_(bucket|sum|count)$/, '')));
      expect([...metrics].filter((name) => !known.has(name))).to.deep.equal([]);
      expect(metrics.size).to.be.above(10);
    }
  });

  it('says for each alert where the runbook tells what to do, and tests it', () => {
    expect(names).to.not.be.empty;
    const pointers = [...alerts.matchAll(/description: .*See docs\/operating\.md#(\w+)'$/gm)];
    expect(pointers.map(([, anchor]) => anchor)).to.deep.equal(names.map((name) => name.toLowerCase()));
    const tested = [...read('prometheus/alerts.test.yml').matchAll(/alertname: (\w+)/g)];
    expect(new Set(tested.map(([, name]) => name))).to.deep.equal(new Set(names));
  });

  it('lets each alert fire by a real cause in a test', () => {
    const files = ['../test/scale-out/alerts.scale-out.test.ts', '../test/bin/alerts.slow.test.ts'];
    const caused = files.flatMap((file) => read(file).match(/(?<=')Dropleaf\w+(?=')/g) ?? []);
    expect(new Set(caused)).to.deep.equal(new Set(names));
  });

  it('has for each alert a part of the runbook that says how loud it is and what to do first', () => {
    const runbook = read('../docs/operating.md');
    const severities = [...alerts.matchAll(/labels: \{ severity: (\w+) \}/g)].map(([, severity]) => severity);
    const parts = [...runbook.matchAll(/^### (Dropleaf\w+)\n`(\w+)`\. .+\n(.+)/gm)];
    expect(parts.map(([, name, severity]) => [name, severity])).to.deep.equal(
      names.map((name, n) => [name, severities[n]]),
    );
  });
});
