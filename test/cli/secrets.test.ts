import { randomBytes, randomInt } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { newToken } from '../../shared/credentials/token.ts';
import { findSecrets } from '../../shared/page-checks/secrets.ts';

const now = Date.UTC(2026, 10, 23);
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

const hex = '0123456789abcdef';

/** Random text, so that no scanner of repositories takes these tests for a leak. */
function random(length: number, alphabet = letters): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

function jwt(payload: object): string {
  const parts = [{ alg: 'HS256', typ: 'JWT' }, payload].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  return [...parts, randomBytes(32).toString('base64url')].join('.');
}

function pem(name: string, newline = '\n'): string {
  const lines = [
    `-----BEGIN ${name}-----`,
    ...Array.from({ length: 4 }, () => randomBytes(48).toString('base64')),
  ];
  return [...lines, `-----END ${name}-----`].join(newline);
}

const secrets: Readonly<Record<string, () => string>> = {
  'Dropleaf token': newToken,
  'GitHub token': () => `ghp_${random(36)}`,
  'GitLab token': () => `glpat-${random(20)}`,
  'AWS access key': () => `AKIA${random(16, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`,
  'AWS secret key': () => `aws_secret_access_key = "${random(40)}"`,
  'Google API key': () => `AIza${random(35)}`,
  'Google OAuth secret': () => `GOCSPX-${random(28)}`,
  'Slack token': () => `xoxb-${random(12, '0123456789')}-${random(24)}`,
  'Slack webhook': () => `https://hooks.slack.com/services/T${random(8)}/B${random(8)}/${random(24)}`,
  'Stripe key': () => `sk_live_${random(24)}`,
  'Anthropic key': () => `sk-ant-api03-${random(93)}`,
  'OpenAI key': () => `sk-proj-${random(48)}`,
  'Hugging Face token': () => `hf_${random(34)}`,
  'npm token': () => `npm_${random(36)}`,
  'PyPI token': () => `pypi-AgEIcHlwaS5vcmc${random(100)}`,
  'SendGrid key': () => `SG.${random(22)}.${random(43)}`,
  'Twilio key': () => `SK${random(32, '0123456789abcdef')}`,
  'Telegram bot token': () => `${random(9, '123456789')}:AA${random(33)}`,
  'signed token (JWT)': () => jwt({ sub: 'user', exp: now / 1000 + 60 }),
  'private key': () => pem('RSA PRIVATE KEY'),
  '1Password token': () => `ops_eyJ${random(300)}`,
  'Airtable token': () => `pat${random(14)}.${random(64, hex)}`,
  'Atlassian token': () => `ATATT3${random(186)}`,
  'Databricks token': () => `dapi${random(32, hex)}`,
  'DigitalOcean token': () => `dop_v1_${random(64, hex)}`,
  'Docker token': () => `dckr_pat_${random(27)}`,
  'Figma token': () => `figd_${random(43)}`,
  'Grafana token': () => `glsa_${random(32)}_${random(8, hex)}`,
  'Groq key': () => `gsk_${random(52)}`,
  'Vault token': () => `hvs.${random(95)}`,
  'Linear key': () => `lin_api_${random(40)}`,
  'Mapbox secret token': () => `sk.eyJ${random(60)}.${random(22)}`,
  'New Relic key': () => `NRAK-${random(27, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789')}`,
  'Notion token': () => `ntn_${random(46)}`,
  'OpenRouter key': () => `sk-or-v1-${random(64, hex)}`,
  'Perplexity key': () => `pplx-${random(48)}`,
  'PlanetScale token': () => `pscale_tkn_${random(43)}`,
  'Postman key': () => `PMAK-${random(24, hex)}-${random(34, hex)}`,
  'Replicate token': () => `r8_${random(37)}`,
  'Resend key': () => `re_${random(8)}_${random(24)}`,
  'Sentry token': () => `sntryu_${random(64, hex)}`,
  'Shopify token': () => `shpat_${random(32, hex)}`,
  'Supabase key': () => `sbp_${random(40, hex)}`,
  'Tailscale key': () => `tskey-auth-${random(12)}-${random(32)}`,
  'xAI key': () => `xai-${random(80)}`,
  'password in an address': () => `postgres://app:${random(12)}@db.internal:5432/app`,
};

describe('publish: what looks like a secret', () => {
  it('is found by the format of its issuer, with line and column, and only its start is shown', () => {
    for (const [kind, make] of Object.entries(secrets)) {
      const secret = make();
      const [finding, ...others] = findSecrets(
        `<title>x</title>\n<script>\n  const key = "${secret}"\n`,
        now,
      );
      expect(others, kind).to.deep.equal([]);
      expect(finding, kind).to.include({ kind, line: 3 });
      expect(secret.slice(0, 40)).to.include(finding?.start.replace('…', ''));
      expect(finding?.start.length).to.be.lessThan(secret.length / 2);
    }
  });

  it('counts lines and columns from 1', () => {
    const token = newToken();
    expect(findSecrets(token, now)[0]).to.include({ line: 1, column: 1 });
    expect(findSecrets(`\r\n é ${token}`, now)[0]).to.include({ line: 2, column: 4 });
  });

  it('finds the key of a service account, whose lines are separated by \\n in JSON', () => {
    expect(findSecrets(JSON.stringify({ private_key: pem('PRIVATE KEY') }), now)).to.have.length(1);
  });

  /** No word of a placeholder is made of these. */
  const wordless = 'BCDFGHJKLMNPQRSTVZbcdfghjklmnpqrstvz0256789';
  const value = () => `Qz7${random(5, wordless)}9${random(15, wordless)}`;
  const passwords: readonly string[] = [
    `DB_PASSWORD = "${value()}"`,
    `passwd: '${value()}',`,
    JSON.stringify({ clientSecret: value(), n: 1 }),
    JSON.stringify(JSON.stringify({ api_key: value() })),
    `const x = { accessToken: \`${value()}\` }`,
    `{&quot;auth_token&quot;: &quot;${value()}&quot;}`,
    `<my-map data-api-key="${value()}">`,
    `:secret_key => "${value()}"`,
    `mongodb+srv://root:${value()}@cluster0.a1b2.mongodb.net/`,
    `REDIS_URL=rediss://:${value()}@cache.internal`,
    `amqp://u:${value()}@mq.internal/vhost`,
    `curl https://admin:${value()}@intranet.corp/report`,
    `fetch(u, { headers: { Authorization: 'Bearer ${jwt({ sub: 'user' })}' } })`,
    `"first line\\nghp_${random(36)}"`,
    `https://a.invalid/?t=%20sk_live_${random(24)}`,
  ];
  it('is found where a password or key is assigned, in addresses, and behind a coded character', () => {
    for (const text of passwords) expect(findSecrets(`<p>\n${text}`, now), text).to.have.length(1);
    const [found] = findSecrets(`x\n  db_password = "${value()}"`, now);
    expect(found).to.deep.equal({ kind: 'password or key', line: 2, column: 6, start: 'password…' });
  });

  it('is not a placeholder of an assignment or an address, a text of a form, or a name in a program', () => {
    for (const text of [
      'password = "changeme"',
      'password: "your-password-1"',
      'password: "xxxxxxxx1"',
      `api_key = "\${API_KEY_123456789}"`,
      'api_key: "{{ secrets.API_KEY_1234567 }}"',
      'secret: process.env.SECRET2',
      'password: "Enter your password"',
      'password: "Passwort"',
      'password: "Contrase\u00f1a"',
      '<input type="password" name="password" id="password1" autocomplete="current-password">',
      '<label for="password">Password</label> <input value="" placeholder="Password: 8+ characters">',
      'secret: "unicode/3299.png?v8"',
      'accessKey: "Ctrl+Shift+1"',
      'password: "#input-field-2"',
      'api_key: "pk_live_1a2b3c4d5e6f7g8h9i"',
      `access_token: "${jwt({ sub: 'user', exp: now / 1000 - 60 })}"`,
      'postgres://user:password@host:5432/db',
      'postgres://postgres:postgres@db.internal/app',
      'postgres://app:hunter22@localhost:5432/app',
      'mysql://app:hunter22@db.example.com/app',
      'https://user:pass@proxy.corp:8080',
      `https://\${user}:\${password}@host.corp`,
      'redis://:<password>@cache.corp',
      'https://unpkg.com/pkg@1.2.3 and mail a@b.corp',
      'https://host.corp:8080/a:b@c',
    ])
      expect(findSecrets(text, now), text).to.deep.equal([]);
  });

  const harmless: Readonly<Record<string, string>> = {
    'a placeholder': `ghp_${'x'.repeat(36)} sk-ant-api03-${'X'.repeat(93)}`,
    "the keys of AWS's documentation":
      'AKIAIOSFODNN7EXAMPLE aws_secret_access_key=wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    'a header without a key': '<code>-----BEGIN RSA PRIVATE KEY-----</code> begins the file; it ends with …',
    'a public key and a certificate': `${pem('PUBLIC KEY')}\n${pem('CERTIFICATE')}`,
    'a signed token that has expired': jwt({ sub: 'user', exp: now / 1000 - 60 }),
    'a key for anybody': jwt({ role: 'anon', exp: now / 1000 + 60 }),
    'a publishable key': `pk_live_${random(24)}`,
    'a word that continues': `task-proj-${random(48)} ${random(3)}ghp_${random(36)}`,
  };
  it('is neither a placeholder nor an example nor what anybody may know', () => {
    for (const [name, text] of Object.entries(harmless))
      expect(findSecrets(text, now), name).to.deep.equal([]);
  });

  it('is not in a minified library and in 2 MB of base64 and hex', () => {
    const chart = readFileSync(new URL('chart.umd.min.js', import.meta.resolve('chart.js')), 'utf8');
    expect(findSecrets(chart, now)).to.deep.equal([]);
    const bytes = randomBytes(1 << 20);
    expect(findSecrets(`<img src="data:image/png;base64,${bytes.toString('base64')}">`, now)).to.deep.equal(
      [],
    );
    expect(findSecrets(bytes.toString('hex'), now)).to.deep.equal([]);
  });
});
